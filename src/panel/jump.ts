import { Finder, type FoundGroup } from './finder.ts'
import type { Keys } from './keys.ts'

/** The places of one sort, as the search answers them. */
interface Group {
  readonly label: string
  readonly places: readonly { readonly title: string; readonly edit_url: string; readonly note?: string }[]
}

/** Serves Ctrl K, and the links to the search: a dialog over records, places of the panel and what can be done. */
export function serveJump(page: Document, keys: Keys): void {
  const link = page.querySelector<HTMLAnchorElement>('a[data-jump]')
  if (!link) return
  const open = () => void (page.querySelector('dialog.palette') ?? jumpOver(link))
  keys.add({ name: 'Ctrl K', words: 'Search or jump', run: open })
  page.addEventListener('click', (event) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey
    if (!isPlain || !(event.target instanceof Element) || !event.target.closest('a[data-jump]')) return
    event.preventDefault()
    open()
  })
}

function jumpOver(link: HTMLAnchorElement): Finder {
  return new Finder({
    label: 'Search or jump to',
    icon: link.querySelector('svg')?.cloneNode(true),
    verb: 'open',
    find: (words, signal) => placesOf(link.href, words, signal),
    choose: ({ value }, isBeside) => {
      if (isBeside) open(value, '_blank')
      else location.assign(value)
    },
  })
}

async function placesOf(address: string, words: string, signal: AbortSignal): Promise<readonly FoundGroup[]> {
  const url = new URL(address)
  url.searchParams.set('format', 'json')
  url.searchParams.set('q', words)
  const answer = await fetch(url, { signal, headers: { accept: 'application/json' } })
  const { groups = [], message } = (await answer.json()) as { groups?: readonly Group[]; message?: string }
  if (!answer.ok) throw new Error(message ?? 'The search does not answer.')
  return groups.map(({ label, places }) => ({
    label,
    found: places.map(({ title, edit_url: value, note }) => ({ title, value, note })),
  }))
}

import { made, openDialog } from './elements.ts'
import type { Keys } from './keys.ts'

const REST_MS = 150

/** Something that can be jumped to. */
interface Place {
  readonly title: string
  readonly edit_url: string
  readonly note?: string
}

/** The places of one sort. */
interface Group {
  readonly label: string
  readonly places: readonly Place[]
}

/** Serves Ctrl K, and the links to the search: a dialog over records, places of the panel and what can be done. */
export function serveJump(page: Document, keys: Keys): void {
  const link = page.querySelector<HTMLAnchorElement>('a[data-jump]')
  if (!link) return
  const open = () => void (page.querySelector('dialog.palette') ?? new Jump(link.href))
  keys.add({ name: 'Ctrl K', words: 'Search or jump', run: open })
  page.addEventListener('click', (event) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey
    if (!isPlain || !(event.target instanceof Element) || !event.target.closest('a[data-jump]')) return
    event.preventDefault()
    open()
  })
}

/** The dialog: a combobox with a listbox (ARIA 1.2), the focus always in its field. */
class Jump {
  readonly #address: string
  readonly #field = made('input', {
    type: 'search',
    role: 'combobox',
    'aria-label': 'Search or jump to',
    placeholder: 'Search or jump to',
    'aria-controls': 'jump-list',
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  readonly #list = made('div', { role: 'listbox', id: 'jump-list', 'aria-label': 'Found' })
  readonly #none = made('p', { class: 'quiet-text', hidden: '' })
  readonly #says = made('p', { class: 'unseen', role: 'status' })
  readonly #dialog = made('dialog', { class: 'palette', 'aria-label': 'Search or jump to' })
  #request: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #at = 0

  constructor(address: string) {
    this.#address = address
    const icon = document.querySelector('a[data-jump] svg')?.cloneNode(true)
    const foot = made('footer', { 'aria-hidden': 'true' }, keysOf('↑ ↓', 'move'), keysOf('Enter', 'open'), keysOf('Esc', 'close'))
    this.#dialog.append(
      made('div', { class: 'with-icon' }, ...(icon ? [icon] : []), this.#field),
      this.#list,
      this.#none,
      this.#says,
      foot,
    )
    this.#field.addEventListener('input', () => this.#typed())
    this.#field.addEventListener('keydown', (event) => this.#press(event))
    this.#list.addEventListener('pointermove', ({ target }) => this.#mark(optionAt(target)))
    this.#list.addEventListener('click', (event) => this.#open(optionAt(event.target), event.ctrlKey || event.metaKey))
    this.#dialog.addEventListener('close', () => this.#request?.abort())
    openDialog(this.#dialog)
    this.#field.focus()
    void this.#find()
  }

  #typed(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#find(), REST_MS)
  }

  async #find(): Promise<void> {
    this.#request?.abort()
    const request = new AbortController()
    this.#request = request
    const url = new URL(this.#address)
    url.searchParams.set('format', 'json')
    url.searchParams.set('q', this.#field.value.trim())
    try {
      const answer = await fetch(url, { signal: request.signal, headers: { accept: 'application/json' } })
      const { groups = [], message } = (await answer.json()) as { groups?: readonly Group[]; message?: string }
      if (!answer.ok) throw new Error(message ?? 'The search does not answer.')
      this.#show(groups)
    } catch (error) {
      if (request.signal.aborted) return
      this.#show([], error instanceof Error ? error.message : String(error))
    }
  }

  /** Shows what is found; where that is nothing, words in its place. */
  #show(groups: readonly Group[], none = 'Nothing is found. Other words may do.'): void {
    let count = 0
    const shown = groups.map(({ label, places }, n) =>
      made(
        'div',
        { role: 'group', 'aria-labelledby': `jump-${n}` },
        made('span', { id: `jump-${n}` }, label),
        ...places.map(({ title, edit_url: url, note }) =>
          made(
            'div',
            { role: 'option', id: `jump-option-${count++}`, 'data-url': url, 'aria-selected': 'false' },
            made('span', {}, title),
            ...(note ? [made('small', {}, note)] : []),
          ),
        ),
      ),
    )
    this.#list.replaceChildren(...shown)
    this.#list.hidden = count === 0
    this.#none.hidden = count > 0
    this.#none.textContent = none
    this.#field.setAttribute('aria-expanded', String(count > 0))
    this.#field.removeAttribute('aria-activedescendant')
    this.#at = 0
    this.#mark(this.#options()[0])
    this.#says.textContent = count === 0 ? none : `${count} found.`
  }

  #press(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const options = this.#options()
    if (by !== undefined && options.length > 0) {
      event.preventDefault()
      this.#mark(options[(this.#at + by + options.length) % options.length])
    } else if (event.key === 'Enter') {
      event.preventDefault()
      this.#open(options[this.#at], event.ctrlKey || event.metaKey)
    }
  }

  #mark(option: HTMLElement | undefined): void {
    if (!option) return
    const options = this.#options()
    for (const one of options) one.setAttribute('aria-selected', String(one === option))
    this.#at = options.indexOf(option)
    this.#field.setAttribute('aria-activedescendant', option.id)
    option.scrollIntoView({ block: 'nearest' })
  }

  #open(option: HTMLElement | undefined, isBeside: boolean): void {
    const url = option?.dataset.url
    if (url === undefined) return
    if (isBeside) open(url, '_blank')
    else location.assign(url)
    this.#dialog.close()
  }

  #options(): HTMLElement[] {
    return [...this.#list.querySelectorAll<HTMLElement>('[role="option"]')]
  }
}

function optionAt(target: EventTarget | null): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>('[role="option"]') ?? undefined) : undefined
}

function keysOf(name: string, words: string): HTMLElement {
  return made('span', {}, made('kbd', {}, name), ` ${words}`)
}

import { made } from './elements.ts'

const SHOWN_MS = 8000

/** Shows what the last request did as a toast, and takes it out of the page's address: opened again, it says nothing. */
export function serveToasts(page: Document): void {
  const address = new URL(location.href)
  if (!address.searchParams.has('done')) return
  address.searchParams.delete('done')
  history.replaceState(history.state, '', address)
  const notice = page.querySelector('#main .notice.good[role="status"]')
  const words = notice?.querySelector('p')?.textContent?.trim() ?? ''
  if (!notice || words === '' || notice.querySelector('a')) return
  notice.remove()
  toast(page, words)
}

/** Shows words for eight seconds, longer while the pointer or the focus is on them. */
export function toast(page: Document, words: string): void {
  const shown = made('div', { class: 'toast' }, made('span', {}, words))
  let timer: ReturnType<typeof setTimeout> | undefined
  const leave = () => {
    timer = setTimeout(() => shown.remove(), SHOWN_MS)
  }
  const stay = () => clearTimeout(timer)
  for (const name of ['pointerenter', 'focusin']) shown.addEventListener(name, stay)
  for (const name of ['pointerleave', 'focusout']) shown.addEventListener(name, leave)
  // A place that speaks tells what is put into it after the page was there.
  setTimeout(() => page.getElementById('toasts')?.append(shown))
  leave()
}

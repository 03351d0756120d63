import { made } from './elements.ts'

const SHOWN_MS = 8000

/** Shows what the last request did as a toast. With it goes the word for it in the page's address: opened again, it says nothing. */
export function serveToasts(page: Document): void {
  const address = new URL(location.href)
  if (!address.searchParams.has('done')) return
  address.searchParams.delete('done')
  const clean = () => history.replaceState(history.state, '', address)
  const notice = page.querySelector('#main .notice.good[role="status"]')
  const words = notice?.querySelector('p')?.textContent?.trim() ?? ''
  if (!notice || words === '' || notice.querySelector('a')) {
    clean()
    return
  }
  notice.remove()
  toast(page, words, clean)
}

/** Shows words for eight seconds, longer while the pointer is on them; a click takes them away. */
function toast(page: Document, words: string, onEnd: () => void): void {
  const shown = made('div', { class: 'toast' }, made('span', {}, words))
  const end = () => {
    clearTimeout(timer)
    shown.remove()
    onEnd()
  }
  let timer = setTimeout(end, SHOWN_MS)
  shown.addEventListener('pointerenter', () => clearTimeout(timer))
  shown.addEventListener('pointerleave', () => {
    timer = setTimeout(end, SHOWN_MS)
  })
  shown.addEventListener('click', end)
  // A place that speaks tells what is put into it after the page was there.
  setTimeout(() => page.getElementById('toasts')?.append(shown))
}

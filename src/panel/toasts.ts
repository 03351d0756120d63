import { made } from './elements.ts'

const SHOWN_MS = 8000

/** Shows what the last request did as a toast. With it goes the word for it in the page's address: opened again, it says nothing. */
export function serveToasts(page: Document): void {
  const address = new URL(location.href)
  if (!address.searchParams.has('done')) return
  for (const name of ['done', 'term', 'was']) address.searchParams.delete(name)
  const clean = () => history.replaceState(history.state, '', address)
  const notice = page.querySelector('#main .notice.good[role="status"]')
  const words = notice?.querySelector('p')?.textContent?.trim() ?? ''
  if (!notice || words === '' || notice.querySelector('a')) {
    clean()
    return
  }
  notice.remove()
  toast(page, words, notice.querySelector('form'), clean)
}

/** Shows as a toast what a page that was fetched says of what was done. */
export function toastOf(page: Document, drawn: Document): void {
  const notice = drawn.querySelector('#main .notice.good[role="status"]')
  const words = notice?.querySelector('p')?.textContent?.trim() ?? ''
  if (notice && words !== '') toast(page, words, notice.querySelector('form'))
}

/** Shows words for eight seconds, longer while the pointer or the focus is on them; a click takes them away. */
function toast(page: Document, words: string, undo: HTMLFormElement | null, onEnd: () => void = () => {}): void {
  const shown = made('div', { class: 'toast' }, made('span', {}, words), ...(undo ? [undo] : []))
  const end = () => {
    clearTimeout(timer)
    shown.remove()
    onEnd()
  }
  let timer = setTimeout(end, SHOWN_MS)
  for (const type of ['pointerenter', 'focusin']) shown.addEventListener(type, () => clearTimeout(timer))
  for (const type of ['pointerleave', 'focusout']) {
    shown.addEventListener(type, () => {
      clearTimeout(timer)
      timer = setTimeout(end, SHOWN_MS)
    })
  }
  // A form that is taken away is not sent.
  shown.addEventListener('click', ({ target }) => !(target instanceof Element && target.closest('form')) && end())
  // A place that speaks tells what is put into it after the page was there.
  setTimeout(() => page.getElementById('toasts')?.append(shown))
}

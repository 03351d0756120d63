import { made } from './elements.ts'

const SHOWN_MS = 8000

/** The words for what was just done, and the form that undoes it with its button. */
export interface Flash {
  readonly words: string
  readonly undo?: HTMLFormElement | undefined
}

/** Shows what the last request did as a toast. With it goes the word for it in the page's address: opened again, it says nothing. */
export function serveToasts(page: Document): void {
  const address = new URL(location.href)
  if (!address.searchParams.has('done')) return
  for (const name of ['done', 'merged', 'undo', 'term', 'was']) address.searchParams.delete(name)
  const clean = () => history.replaceState(history.state, '', address)
  const flash = flashOf(page)
  if (flash) toast(page, flash, clean)
  else clean()
}

/** Shows as a toast what a page that was fetched says of what was done. */
export function toastOf(page: Document, drawn: Document): void {
  const flash = flashOf(drawn)
  if (flash) toast(page, flash)
}

/** Takes what was just done out of a page; undefined where it says nothing, or has a link that stays. */
export function flashOf(page: Document): Flash | undefined {
  const notice = page.querySelector('#main .notice.good[role="status"]')
  const words = notice?.querySelector('p')?.textContent?.trim() ?? ''
  if (!notice || words === '' || notice.querySelector('a')) return undefined
  notice.remove()
  return { words, undo: undoOf(page, notice) }
}

/** Takes the form of an undo with its button in it: several toasts are shown at once, and a button outside would send the first form of the name. */
function undoOf(page: Document, notice: Element): HTMLFormElement | undefined {
  const [button, form] = [notice.querySelector('button[form="undo"]'), page.querySelector<HTMLFormElement>('form#undo')]
  if (!button || !form) return undefined
  button.removeAttribute('form')
  form.removeAttribute('id')
  form.append(button)
  return form
}

/** Shows a flash for eight seconds, longer while the pointer or the focus is on it; a click takes it away. Returns what ends it. */
export function toast(page: Document, { words, undo }: Flash, onEnd: () => void = () => {}): () => void {
  const shown = made('div', { class: 'toast' }, made('span', {}, words), ...(undo ? [undo] : []))
  const end = () => {
    clearTimeout(timer)
    clearTimeout(coming)
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
  shown.addEventListener('click', ({ target }) => !(target instanceof Element && target.closest('button')) && end())
  // A place that speaks tells what is put into it after the page was there.
  const coming = setTimeout(() => page.getElementById('toasts')?.append(shown))
  return end
}

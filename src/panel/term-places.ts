import { speak } from './page-parts.ts'
import { toastOf } from './toasts.ts'

/** Has terms put below others in place: the page that the server answers with has the tree that is put in the place of the old one. */
export function serveTermPlaces(page: Document): void {
  page.addEventListener('submit', (event) => {
    const { target, submitter } = event
    if (!(target instanceof HTMLFormElement) || target.id !== 'place' || !(submitter instanceof HTMLButtonElement)) return
    event.preventDefault()
    void placeTerm(page, target, submitter)
  })
}

/** Sends where a term is to be; false where that could not be done. */
async function placeTerm(page: Document, form: HTMLFormElement, button: HTMLButtonElement): Promise<boolean> {
  if (form.ariaBusy === 'true') return false
  form.ariaBusy = 'true'
  const id = button.closest<HTMLElement>('[data-item]')?.dataset.item
  try {
    const sent = new URLSearchParams([...new FormData(form, button)].map(([name, value]) => [name, String(value)]))
    const answer = await fetch(button.formAction, { method: 'POST', body: sent, headers: { accept: 'text/html' } })
    const drawn = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const next = drawn.querySelector<HTMLElement>('[data-terms-part]')
    if (!next) throw new Error('The tree was not drawn again.')
    page.querySelector('#errors')?.remove()
    const errors = drawn.querySelector<HTMLElement>('#errors')
    page.querySelector('[data-terms-part]')?.replaceWith(...(errors ? [errors, next] : [next]))
    next.dispatchEvent(new Event('redrawn', { bubbles: true }))
    if (errors) errors.focus()
    else focusOn(next, id, button.dataset.way)
    toastOf(page, drawn)
    return true
  } catch {
    speak(page, 'This could not be done: the server does not answer. Nothing was moved.')
    return false
  } finally {
    form.ariaBusy = null
  }
}

/** Puts the focus on the button of the term at its new place. */
function focusOn(tree: HTMLElement, id: string | undefined, way: string | undefined): void {
  const item = id === undefined ? null : tree.querySelector(`[data-item="${CSS.escape(id)}"]`)
  const buttons = [...(item?.querySelectorAll<HTMLButtonElement>('button[data-way]:not(:disabled)') ?? [])]
  const found = buttons.find((button) => button.dataset.way === way) ?? buttons[0] ?? item?.querySelector<HTMLElement>('a')
  found?.focus()
}

/** Sends that a term which was dragged is to be below another, or below none; false where that could not be done. */
export async function placeDragged(page: Document, item: HTMLElement, parent: string): Promise<boolean> {
  const form = page.querySelector<HTMLFormElement>('form#place')
  const { place, version = '' } = item.dataset
  if (!form || place === undefined) return false
  const button = page.createElement('button')
  Object.assign(button, { name: 'place', value: `${version}/${parent}`, hidden: true })
  button.setAttribute('form', form.id)
  button.setAttribute('formaction', place)
  item.append(button)
  const isDone = await placeTerm(page, form, button)
  button.remove()
  return isDone
}

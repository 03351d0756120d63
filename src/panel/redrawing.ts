import { speak } from './page-parts.ts'

/** Buttons that change a list or a menu in its form, and save nothing. */
const IN_FORM = /^(?:(?:add|remove|up|down|in|out|place|move):|add$)/

/** Returns whether a button has its form drawn again, and saves nothing. */
export function isRedrawing(submitter: Element | null): submitter is HTMLButtonElement {
  return submitter instanceof HTMLButtonElement && submitter.name === 'do' && IN_FORM.test(submitter.value)
}

/**
 * Has buttons of lists and menus done in place: the server draws the form again as it does without a script, and the list of it
 * is put in the place of the old one.
 */
export function serveRedrawing(page: Document): void {
  page.addEventListener('submit', (event) => {
    const { target, submitter } = event
    if (!(target instanceof HTMLFormElement) || !isRedrawing(submitter) || event.defaultPrevented) return
    const part = partOf(submitter)
    if (!part) return
    event.preventDefault()
    void redraw(page, target, submitter, part)
  })
}

/** Sends a form with what a button says, and draws its list as the answer has it; false where that could not be done. */
export async function redraw(page: Document, form: HTMLFormElement, button: HTMLButtonElement, part: Part): Promise<boolean> {
  if (form.ariaBusy === 'true') return false
  form.ariaBusy = 'true'
  try {
    const body = new FormData(form, button)
    const sent = new URLSearchParams([...body].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))
    const answer = await fetch(form.action, { method: 'POST', body: sent, headers: { accept: 'text/html' } })
    const drawn = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const next = drawn.querySelector<HTMLElement>(part.selector)
    if (!answer.ok || !next) throw new Error('The form was not drawn again.')
    const says = next.querySelector('[data-unsaved]')?.textContent?.trim() ?? SAYS[button.value.split(':', 1)[0] ?? ''] ?? ''
    const count = part.element.querySelectorAll('li').length
    part.element.replaceWith(next)
    next.dispatchEvent(new Event('redrawn', { bubbles: true }))
    const beside = button.value === 'add' ? [...part.beside, '[data-menu-add]'] : part.beside
    for (const place of beside) page.querySelector(place)?.replaceChildren(...(drawn.querySelector(place)?.childNodes ?? []))
    form.dispatchEvent(new Event('input', { bubbles: true }))
    focusAfter(next, button.value, next.querySelectorAll('li').length > count)
    speak(page, says)
    return true
  } catch {
    speak(page, 'This could not be done: the server does not answer. All you typed is still here.')
    return false
  } finally {
    form.ariaBusy = null
  }
}

/** The part of a page that a button changes, and what else shows it. */
export interface Part {
  readonly element: HTMLElement
  readonly selector: string
  readonly beside: readonly string[]
}

/** Finds the list or the menu that an element belongs to. */
export function partOf(element: Element): Part | undefined {
  const list = element.closest<HTMLElement>('[data-list]')
  if (list) return { element: list, selector: `[data-list="${CSS.escape(list.dataset.list ?? '')}"]`, beside: [] }
  const form = element.closest('form')
  const menu = form?.querySelector<HTMLElement>('[data-menu-part]')
  return menu ? { element: menu, selector: '[data-menu-part]', beside: ['[data-menu-reads]', '.head-count'] } : undefined
}

const SAYS: Readonly<Record<string, string>> = {
  add: 'Added.',
  remove: 'Removed.',
  up: 'Moved up.',
  down: 'Moved down.',
  move: 'Moved.',
}

/** Puts the focus where the eye goes: to what was added, to the button of the item at its new place, to what follows one removed. */
function focusAfter(drawn: HTMLElement, done: string, isLonger: boolean): void {
  const [verb = '', path = ''] = done.split(/:(.*)/s)
  const target = drawn.matches('[data-list]') ? placeAfter(verb, path) : path
  const buttonOf = (value: string) => drawn.querySelector<HTMLButtonElement>(`button[name="do"][value="${CSS.escape(value)}"]`)
  const added = isLonger
    ? [...drawn.querySelectorAll('li')].at(-1)?.querySelector<HTMLElement>('input, textarea, select, summary')
    : null
  const same = buttonOf(`${verb}:${target}`)
  const others = ['up', 'down', 'in', 'out', 'remove'].map((other) => buttonOf(`${other}:${target}`))
  const found = [added, same, ...others, ...drawn.querySelectorAll<HTMLElement>('button, summary')]
  const next = found.find((one) => one && !(one instanceof HTMLButtonElement && one.disabled))
  next?.focus()
}

/** The path of an item of a list at its place of now. */
function placeAfter(verb: string, path: string): string {
  const parts = path.split('.')
  const last = Number(parts.pop())
  if (verb === 'move') parts.pop()
  const place = verb === 'up' ? Math.max(last - 1, 0) : verb === 'down' ? last + 1 : last
  return [...parts, place].join('.')
}

/** Makes an element with attributes and content; an attribute that is undefined is left out. */
export function made<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(attribute, value)
  element.append(...content)
  return element
}

/** Opens a dialog over the page. It is removed when it closes, and the focus goes back to where it was. */
export function openDialog(dialog: HTMLDialogElement): void {
  const before = document.activeElement
  dialog.addEventListener('close', () => {
    dialog.remove()
    if (before instanceof HTMLElement && before.isConnected) before.focus()
  })
  // A click on what is behind it closes it.
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())
  document.body.append(dialog)
  dialog.showModal()
}

/** A question. */
export interface Question {
  readonly title: string
  readonly text: string
  readonly confirm: string
}

/** Asks a question in place; resolves with whether it was answered with yes. */
export function ask({ title, text, confirm }: Question): Promise<boolean> {
  const yes = made('button', { class: 'button primary', type: 'button' }, confirm)
  const no = made('button', { class: 'button', type: 'button' }, 'Cancel')
  const dialog = made(
    'dialog',
    { 'aria-labelledby': 'asked' },
    made('h2', { id: 'asked' }, title),
    made('p', { class: 'quiet-text' }, text),
    made('div', { class: 'actions' }, no, yes),
  )
  return new Promise((resolve) => {
    yes.addEventListener('click', () => dialog.close('yes'))
    no.addEventListener('click', () => dialog.close())
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'))
    openDialog(dialog)
    yes.focus()
  })
}

/** Returns whether keys that are letters belong to an element: it is typed into. */
export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !/^(?:checkbox|radio|button|submit|reset|range|color|file)$/.test(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
}

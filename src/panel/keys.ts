import { isField, made, openDialog } from './elements.ts'

/** A key, and what it does; `run` returns false where it is not for now. */
export interface Key {
  /** As it is shown: `Ctrl K`, `Shift x`, `j`. */
  readonly name: string
  readonly words: string
  run(event: KeyboardEvent): unknown
}

/** The name under which a browser remembers that letters are no keys. */
const OFF = 'keys-off'

/** The keys of a page. Letters count outside of fields alone, and can be switched off. */
export class Keys {
  readonly #keys: Key[] = []
  readonly #page: Document

  constructor(page: Document) {
    this.#page = page
    this.add({ name: '?', words: 'All keys', run: () => this.#show() })
    page.addEventListener('keydown', (event) => this.#press(event))
    this.#mark()
  }

  /** Letters that are no keys are not told of either. */
  #mark(): void {
    this.#page.documentElement.toggleAttribute('data-keys', !isOff())
  }

  add(...keys: readonly Key[]): void {
    this.#keys.push(...keys)
  }

  #press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || this.#page.querySelector('dialog[open]')) return
    const name = nameOf(event)
    const isLetter = !name.startsWith('Ctrl ')
    if (isLetter && (isField(event.target) || isOff())) return
    for (const key of this.#keys) {
      if (key.name !== name || key.run(event) === false) continue
      event.preventDefault()
      return
    }
  }

  #show(): void {
    const rows = this.#keys.map(({ name, words }) =>
      made('li', {}, made('span', {}, ...name.split(' ').map((part) => made('kbd', {}, part))), ` ${words}`),
    )
    const box = made('input', { type: 'checkbox' })
    box.checked = !isOff()
    box.addEventListener('change', () => {
      if (box.checked) localStorage.removeItem(OFF)
      else localStorage.setItem(OFF, '1')
      this.#mark()
    })
    const close = made('button', { class: 'button', type: 'button' }, 'Close')
    const dialog = made(
      'dialog',
      { 'aria-labelledby': 'all-keys' },
      made('h2', { id: 'all-keys' }, 'All keys'),
      made('ul', { class: 'key-list' }, ...rows),
      made('label', { class: 'check' }, box, made('span', {}, 'Letters are keys, outside of fields')),
      made('div', { class: 'actions' }, close),
    )
    close.addEventListener('click', () => dialog.close())
    openDialog(dialog)
    close.focus()
  }
}

function isOff(): boolean {
  return localStorage.getItem(OFF) !== null
}

/** The name of what was pressed; a Mac's Command stands for Ctrl. */
function nameOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  const letter = /^[a-z]$/i.test(key)
  const shown = letter ? (ctrlKey || metaKey ? key.toUpperCase() : key.toLowerCase()) : key
  const shift = shiftKey && (letter || key.length > 1) ? 'Shift ' : ''
  return `${ctrlKey || metaKey ? 'Ctrl ' : ''}${altKey ? 'Alt ' : ''}${shift}${shown}`
}

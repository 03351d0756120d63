import { type EditorView, WidgetType } from '@codemirror/view'

/** The dot of an item of a list. */
export class Bullet extends WidgetType {
  override eq(): boolean {
    return true
  }

  toDOM(): HTMLElement {
    const dot = element('span', 'md-bullet')
    dot.textContent = '•'
    return dot
  }
}

/** The box of a task, which a click ticks. */
export class TaskBox extends WidgetType {
  readonly #isDone: boolean

  constructor(isDone: boolean) {
    super()
    this.#isDone = isDone
  }

  override eq(other: TaskBox): boolean {
    return other.#isDone === this.#isDone
  }

  toDOM(view: EditorView): HTMLElement {
    const box = element('input', 'md-task')
    box.type = 'checkbox'
    box.checked = this.#isDone
    box.tabIndex = -1
    box.setAttribute('aria-label', this.#isDone ? 'Done' : 'To do')
    box.addEventListener('mousedown', (event) => {
      event.preventDefault()
      const at = view.posAtDOM(box)
      view.dispatch({ changes: { from: at + 1, to: at + 2, insert: this.#isDone ? ' ' : 'x' }, userEvent: 'input.task' })
    })
    box.addEventListener('click', (event) => event.preventDefault())
    return box
  }

  override ignoreEvent(): boolean {
    return true
  }
}

/** Milliseconds for which nobody types an address before it is asked for. */
const PAUSE = 500

/** A picture in a box of one height, so that nothing moves when it comes. */
export class Picture extends WidgetType {
  readonly #address: string | undefined
  readonly #alt: string
  readonly #isTyped: boolean

  /** Without an address it shows the words that stand for the picture. One that may be being typed is not asked for at once. */
  constructor(address: string | undefined, alt: string, isTyped: boolean) {
    super()
    this.#address = address
    this.#alt = alt
    this.#isTyped = isTyped
  }

  override eq(other: Picture): boolean {
    return other.#address === this.#address && other.#alt === this.#alt
  }

  toDOM(): HTMLElement {
    const figure = element('span', 'md-picture')
    const address = this.#address
    if (address === undefined) return missing(figure, this.#alt)
    const image = element('img')
    image.alt = this.#alt
    image.decoding = 'async'
    image.addEventListener('error', () => missing(figure, this.#alt))
    figure.append(image)
    const load = (): void => {
      image.src = address
    }
    if (this.#isTyped) setTimeout(() => figure.isConnected && load(), PAUSE)
    else load()
    return figure
  }

  override ignoreEvent(): boolean {
    return false
  }
}

function missing(figure: HTMLElement, alt: string): HTMLElement {
  figure.classList.add('md-missing')
  figure.textContent = alt || 'Picture'
  return figure
}

/** A note that stands in a text while a file is on its way. */
export class Waiting extends WidgetType {
  readonly #name: string

  constructor(name: string) {
    super()
    this.#name = name
  }

  override eq(other: Waiting): boolean {
    return other.#name === this.#name
  }

  toDOM(): HTMLElement {
    const note = element('span', 'md-waiting')
    note.textContent = `Uploading ${this.#name}…`
    return note
  }
}

/** Returns a new element with classes. */
export function element<Name extends keyof HTMLElementTagNameMap>(name: Name, classes = ''): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  if (classes !== '') made.className = classes
  return made
}

import { speak } from './page-parts.ts'

const PAUSE_MS = 800

/**
 * Shows the page that a form makes beside it, anew after each pause in typing: `[data-preview]` opens it, and has the address that
 * the form's fields are sent to; `[data-pane]` is the place of it.
 */
export function servePreview(page: Document): void {
  const place = page.querySelector<HTMLElement>('[data-pane]')
  const form = page.querySelector('[data-preview]')?.closest('form')
  if (place && form) new PreviewPane(page, { place, form })
}

/** The parts of a page that a preview is of. */
interface PreviewParts {
  readonly place: HTMLElement
  readonly form: HTMLFormElement
}

class PreviewPane {
  readonly #page: Document
  readonly #parts: PreviewParts
  readonly #frames: HTMLElement
  #count = 0
  #timer = 0

  constructor(page: Document, parts: PreviewParts) {
    this.#page = page
    this.#parts = parts
    const { place, form } = parts
    this.#frames = place.querySelector<HTMLElement>('[data-size]') ?? place
    // A frame stays where it is laid out: the page around it is of another width then.
    page.body.append(place)
    this.#tell()
    form.addEventListener('click', (event) => {
      if (!(event.target instanceof Element) || !event.target.closest('[data-preview]')) return
      event.preventDefault()
      this.#toggle()
    })
    form.addEventListener('taken-over', () => this.#tell())
    page.addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() !== 'p' || !event.shiftKey || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      this.#toggle()
    })
    place.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#toggle()
    })
    place.addEventListener('click', ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null
      if (button?.matches('[data-close]')) this.#toggle()
      else if (button?.value) this.#size(button.value)
    })
    for (const kind of ['input', 'change'] as const) form.addEventListener(kind, () => this.#wait())
  }

  /** The button of now: a save puts another in its place. */
  get #opener(): HTMLElement | null {
    return this.#parts.form.querySelector<HTMLElement>('[data-preview]')
  }

  #tell(): void {
    this.#opener?.setAttribute('aria-expanded', String(!this.#parts.place.hidden))
  }

  #toggle(): void {
    const { place } = this.#parts
    const isOpen = place.hidden !== false
    place.hidden = !isOpen
    this.#page.documentElement.toggleAttribute('data-previewing', isOpen)
    this.#tell()
    // Where it covers the page, nothing below it is to be reached.
    const isCovering = isOpen && place.clientWidth >= this.#page.documentElement.clientWidth
    for (const other of this.#page.body.children)
      if (other instanceof HTMLElement && other.matches('.shell')) other.inert = isCovering
    if (isCovering) place.querySelector<HTMLElement>('[data-close]')?.focus()
    speak(this.#page, isOpen ? 'The preview is open.' : 'The preview is closed.')
    if (isOpen) this.#send()
    else {
      this.#frames.replaceChildren()
      this.#opener?.focus()
    }
  }

  #size(size: string): void {
    this.#frames.dataset.size = size
    for (const button of this.#parts.place.querySelectorAll('button[value]'))
      button.setAttribute('aria-pressed', String(button.getAttribute('value') === size))
  }

  #wait(): void {
    clearTimeout(this.#timer)
    if (!this.#parts.place.hidden) this.#timer = window.setTimeout(() => this.#send(), PAUSE_MS)
  }

  /** Sends the fields into a frame of their own, which takes the place of the last one once it is there: Back skips them all. */
  #send(): void {
    const { form, place } = this.#parts
    const address = this.#opener?.dataset.preview
    if (place.hidden || !address) return
    const frame = this.#page.createElement('iframe')
    frame.name = `preview-${++this.#count}`
    frame.title = 'The page as the site would show it'
    frame.setAttribute('sandbox', 'allow-scripts')
    frame.referrerPolicy = 'no-referrer'
    frame.className = 'coming'
    this.#frames.append(frame)
    frame.addEventListener('load', () => {
      for (const other of [...this.#frames.querySelectorAll('iframe')]) {
        if (other === frame) break
        other.remove()
      }
      frame.className = ''
    })
    const copy = this.#page.createElement('form')
    Object.assign(copy, { method: 'post', action: address, target: frame.name, hidden: true })
    for (const [name, value] of new FormData(form)) {
      if (typeof value !== 'string') continue
      const input = this.#page.createElement('input')
      Object.assign(input, { type: 'hidden', name, value })
      copy.append(input)
    }
    this.#page.body.append(copy)
    // Not requestSubmit: what listens for the form being saved must not hear of it.
    HTMLFormElement.prototype.submit.call(copy)
    copy.remove()
  }
}

import { made, openDialog } from './elements.ts'

const REST_MS = 150

/** Something that is found: a title, what stands for it, a note behind it and the address of a small picture. */
export interface Found {
  readonly title: string
  readonly value: string
  readonly note?: string | undefined
  readonly picture?: string | undefined
}

/** The things of one sort. */
export interface FoundGroup {
  readonly label: string
  readonly found: readonly Found[]
}

/** A search, and what becomes of the thing that is chosen; `isBeside` with Ctrl or Cmd. */
export interface Finding {
  readonly label: string
  /** The icon in the field, and what is done by Enter. */
  readonly icon: Node | undefined
  readonly verb: string
  /** Rejects with words to be shown. */
  find(words: string, signal: AbortSignal): Promise<readonly FoundGroup[]>
  choose(found: Found, isBeside: boolean): void
}

/** A dialog in which something is found: a combobox with a listbox (ARIA 1.2), the focus always in its field. */
export class Finder {
  readonly #finding: Finding
  readonly #field: HTMLInputElement
  readonly #list = made('div', { role: 'listbox', id: 'found-list', 'aria-label': 'Found' })
  readonly #none = made('p', { class: 'quiet-text', hidden: '' })
  readonly #says = made('p', { class: 'unseen', role: 'status' })
  readonly #dialog: HTMLDialogElement
  #found: readonly Found[] = []
  #request: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #at = 0

  constructor(finding: Finding) {
    this.#finding = finding
    const { label, icon, verb } = finding
    this.#field = made('input', {
      type: 'search',
      role: 'combobox',
      'aria-label': label,
      placeholder: label,
      'aria-controls': 'found-list',
      'aria-expanded': 'false',
      'aria-autocomplete': 'list',
      autocomplete: 'off',
      spellcheck: 'false',
    })
    this.#dialog = made('dialog', { class: 'palette', 'aria-label': label })
    const foot = made('footer', { 'aria-hidden': 'true' }, keysOf('↑ ↓', 'move'), keysOf('Enter', verb), keysOf('Esc', 'close'))
    this.#dialog.append(
      made('div', { class: 'with-icon' }, ...(icon ? [icon] : []), this.#field),
      this.#list,
      this.#none,
      this.#says,
      foot,
    )
    this.#field.addEventListener('input', () => this.#typed())
    this.#field.addEventListener('keydown', (event) => this.#press(event))
    this.#list.addEventListener('pointermove', ({ target }) => this.#mark(optionAt(target)))
    this.#list.addEventListener('click', (event) => this.#choose(optionAt(event.target), event.ctrlKey || event.metaKey))
    this.#dialog.addEventListener('close', () => this.#request?.abort())
    openDialog(this.#dialog)
    this.#field.focus()
    void this.#find()
  }

  #typed(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#find(), REST_MS)
  }

  async #find(): Promise<void> {
    this.#request?.abort()
    const request = new AbortController()
    this.#request = request
    try {
      this.#show(await this.#finding.find(this.#field.value.trim(), request.signal))
    } catch (error) {
      if (request.signal.aborted) return
      this.#show([], error instanceof Error ? error.message : String(error))
    }
  }

  /** Shows what is found; where that is nothing, words in its place. */
  #show(groups: readonly FoundGroup[], none = 'Nothing is found. Other words may do.'): void {
    this.#found = groups.flatMap(({ found }) => found)
    const count = this.#found.length
    const shown = groups.map(({ label, found }, n) =>
      made(
        'div',
        { role: 'group', 'aria-labelledby': `found-${n}` },
        made('span', { id: `found-${n}` }, label),
        ...found.map((one) => optionOf(one, this.#found.indexOf(one))),
      ),
    )
    this.#list.replaceChildren(...shown)
    this.#list.hidden = count === 0
    this.#none.hidden = count > 0
    this.#none.textContent = none
    this.#field.setAttribute('aria-expanded', String(count > 0))
    this.#field.removeAttribute('aria-activedescendant')
    this.#at = 0
    this.#mark(this.#options()[0])
    this.#says.textContent = count === 0 ? none : `${count} found.`
  }

  #press(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const options = this.#options()
    if (by !== undefined && options.length > 0) {
      event.preventDefault()
      this.#mark(options[(this.#at + by + options.length) % options.length])
    } else if (event.key === 'Enter') {
      event.preventDefault()
      this.#choose(options[this.#at], event.ctrlKey || event.metaKey)
    }
  }

  #mark(option: HTMLElement | undefined): void {
    if (!option) return
    const options = this.#options()
    for (const one of options) one.setAttribute('aria-selected', String(one === option))
    this.#at = options.indexOf(option)
    this.#field.setAttribute('aria-activedescendant', option.id)
    option.scrollIntoView({ block: 'nearest' })
  }

  #choose(option: HTMLElement | undefined, isBeside: boolean): void {
    const found = option && this.#found[this.#options().indexOf(option)]
    if (!found) return
    this.#dialog.close()
    this.#finding.choose(found, isBeside)
  }

  #options(): HTMLElement[] {
    return [...this.#list.querySelectorAll<HTMLElement>('[role="option"]')]
  }
}

function optionOf({ title, note, picture }: Found, n: number): HTMLElement {
  return made(
    'div',
    { role: 'option', id: `found-option-${n}`, 'aria-selected': 'false' },
    ...(picture === undefined ? [] : [made('img', { src: picture, alt: '', loading: 'lazy', decoding: 'async' })]),
    made('span', { dir: 'auto' }, title),
    ...(note ? [made('small', {}, note)] : []),
  )
}

function optionAt(target: EventTarget | null): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>('[role="option"]') ?? undefined) : undefined
}

function keysOf(name: string, words: string): HTMLElement {
  return made('span', {}, made('kbd', {}, name), ` ${words}`)
}

import type { Keys } from './keys.ts'
import { speak } from './page-parts.ts'

/** Has the rows of a list followed and ticked with keys. */
export function serveRows(page: Document, keys: Keys): void {
  if (!page.querySelector('[data-row]')) return
  const rows = new Rows(page)
  keys.add(
    { name: 'j', words: 'Next row', run: () => rows.move(1) },
    { name: 'k', words: 'Row before', run: () => rows.move(-1) },
    { name: 'x', words: 'Select the row', run: () => rows.select() },
    { name: 'Shift x', words: 'Select all rows up to this one', run: () => rows.selectSpan() },
    { name: 'e', words: 'Open the row', run: () => rows.open() },
    { name: 'Enter', words: 'Open the row', run: ({ target }) => target === page.body && rows.open() },
  )
}

/** The rows of a page: one is where the keys are. */
class Rows {
  readonly #page: Document
  #here: HTMLElement | undefined
  #ticked: HTMLElement | undefined

  constructor(page: Document) {
    this.#page = page
    page.addEventListener('focusin', ({ target }) => {
      const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
      if (row) this.#go(row)
    })
    page.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement && (target.name === 'ids[]' || 'all' in target.dataset)) this.#tell()
    })
    page.addEventListener('click', (event) => this.#clicked(event))
  }

  move(by: number): boolean {
    const rows = this.#rows()
    const at = this.#here ? rows.indexOf(this.#here) : -1
    const next = this.#here ? rows[at + by] : rows[by > 0 ? 0 : rows.length - 1]
    if (!next) return true
    this.#go(next)
    const link = next.querySelector<HTMLElement>('a[href], input, button')
    link?.focus({ preventScroll: true })
    next.scrollIntoView({ block: 'nearest' })
    return true
  }

  select(): boolean {
    const box = boxOf(this.#here)
    if (!box) return false
    box.click()
    this.#ticked = this.#here
    return true
  }

  /** Ticks all from the row that was ticked last to the one of now. */
  selectSpan(): boolean {
    if (!this.#here) return false
    this.#span(this.#ticked ?? this.#here, this.#here)
    return true
  }

  open(): boolean {
    const link = this.#here?.querySelector<HTMLAnchorElement>('th a[href], a[href]')
    link?.click()
    return link !== undefined && link !== null
  }

  #span(from: HTMLElement, to: HTMLElement): void {
    const rows = this.#rows()
    const [start, end] = [rows.indexOf(from), rows.indexOf(to)].sort((a, b) => a - b) as [number, number]
    for (const row of rows.slice(Math.max(start, 0), end + 1)) {
      const box = boxOf(row)
      if (box && !box.checked) box.click()
    }
    this.#ticked = to
  }

  #clicked(event: MouseEvent): void {
    const { target } = event
    if (!(target instanceof HTMLInputElement) || target.name !== 'ids[]' || event.detail === 0) return
    const row = target.closest<HTMLElement>('[data-row]') ?? undefined
    if (event.shiftKey && this.#ticked && row && target.checked) this.#span(this.#ticked, row)
    this.#ticked = row
  }

  #go(row: HTMLElement): void {
    this.#here?.removeAttribute('data-here')
    this.#here = row
    row.dataset.here = ''
  }

  #rows(): HTMLElement[] {
    return [...this.#page.querySelectorAll<HTMLElement>('[data-row]')]
  }

  #tell(): void {
    const count = this.#page.querySelectorAll('input[name="ids[]"]:checked').length
    speak(this.#page, count === 0 ? 'None selected.' : `${count} selected.`)
  }
}

function boxOf(row: HTMLElement | undefined): HTMLInputElement | null {
  return row?.querySelector<HTMLInputElement>('input[name="ids[]"]') ?? null
}

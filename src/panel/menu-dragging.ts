import { partOf, redraw } from './redrawing.ts'
import { placeDragged } from './term-places.ts'

/** Pixels of one level. */
const LEVEL = 32
const DEEPEST = 7

/**
 * Has the items of a menu, and terms, dragged by their grips, with all that is below them: up and down, and to the side for another
 * level.
 */
export function serveMenuDragging(page: Document): void {
  const mark = () => page.querySelector('[data-menu], [data-terms]')?.setAttribute('data-sortable', '')
  mark()
  page.addEventListener('redrawn', mark)
  page.addEventListener('pointerdown', (event) => {
    const grip =
      event.target instanceof Element ? event.target.closest<HTMLElement>(':is([data-menu], [data-terms]) [data-grip]') : null
    const item = grip?.closest<HTMLElement>('[data-item]')
    if (!grip || !item || event.button !== 0) return
    event.preventDefault()
    new Drag(page, item, event)
  })
}

/** One drag, from the press to the release; Escape takes it back. */
class Drag {
  readonly #page: Document
  readonly #item: HTMLElement
  /** The item and all that is below it. */
  readonly #family: readonly HTMLElement[]
  readonly #before: readonly HTMLElement[]
  readonly #depth: number
  readonly #parent: string
  readonly #x: number
  readonly #listening = new AbortController()
  #level: number

  constructor(page: Document, item: HTMLElement, { clientX }: PointerEvent) {
    this.#page = page
    this.#item = item
    this.#before = itemsOf(item)
    this.#family = familyOf(this.#before, item)
    this.#depth = depthOf(item)
    this.#level = this.#depth
    this.#parent = parentOf(item)
    this.#x = clientX
    for (const one of this.#family) one.dataset.dragged = ''
    const { signal } = this.#listening
    page.addEventListener('pointermove', (event) => this.#move(event), { signal })
    page.addEventListener('pointerup', () => this.#drop(), { signal })
    page.addEventListener('pointercancel', () => this.#takeBack(), { signal })
    page.addEventListener('keydown', ({ key }) => key === 'Escape' && this.#takeBack(), { signal })
  }

  #move({ clientX, clientY }: PointerEvent): void {
    const others = itemsOf(this.#item).filter((one) => !this.#family.includes(one))
    const next = others.find((one) => {
      const { top, height } = one.getBoundingClientRect()
      return clientY < top + height / 2
    })
    const list = this.#item.parentElement
    if (next) next.before(...this.#family)
    else list?.append(...this.#family)
    const previous = others[(next ? others.indexOf(next) : others.length) - 1]
    const height = Math.max(...this.#family.map((one) => depthOf(one) - depthOf(this.#item)))
    const most = Math.min(previous ? depthOf(previous) + 1 : 0, DEEPEST - height)
    const wanted = this.#depth + Math.round((clientX - this.#x) / LEVEL)
    this.#show(Math.max(0, Math.min(wanted, most)))
  }

  #show(level: number): void {
    const by = level - this.#level
    this.#level = level
    if (by === 0) return
    for (const one of this.#family) setDepth(one, depthOf(one) + by)
  }

  #drop(): void {
    this.#end()
    if (this.#item.closest('[data-terms]')) {
      void this.#place()
      return
    }
    const form = this.#item.closest('form')
    const part = partOf(this.#item)
    const isSame = this.#level === this.#depth && itemsOf(this.#item).every((one, n) => one === this.#before[n])
    if (!form || !part || isSame) return
    const button = this.#page.createElement('button')
    Object.assign(button, { name: 'do', value: `place:${this.#item.dataset.item}`, hidden: true })
    form.append(button)
    void redraw(this.#page, form, button, part).finally(() => button.remove())
  }

  /** Terms are in the order of their names: what is sent is the one that they are below. */
  async #place(): Promise<void> {
    const parent = parentOf(this.#item)
    if (parent === this.#parent || !(await placeDragged(this.#page, this.#item, parent))) this.#takeBack()
  }

  #takeBack(): void {
    this.#show(this.#depth)
    this.#item.parentElement?.append(...this.#before)
    this.#end()
  }

  #end(): void {
    this.#listening.abort()
    for (const one of this.#family) delete one.dataset.dragged
  }
}

function itemsOf(item: HTMLElement): HTMLElement[] {
  return [...(item.parentElement?.querySelectorAll<HTMLElement>(':scope > [data-item]') ?? [])]
}

function familyOf(items: readonly HTMLElement[], item: HTMLElement): HTMLElement[] {
  const at = items.indexOf(item)
  const next = items.findIndex((one, n) => n > at && depthOf(one) <= depthOf(item))
  return items.slice(at, next < 0 ? items.length : next)
}

/** The id of the item that one is below; empty for none. */
function parentOf(item: HTMLElement): string {
  const items = itemsOf(item)
  const above = items.slice(0, items.indexOf(item)).findLast((one) => depthOf(one) < depthOf(item))
  return above?.dataset.item ?? ''
}

function depthOf(item: HTMLElement): number {
  return Number(item.dataset.depth)
}

function setDepth(item: HTMLElement, depth: number): void {
  const field = item.querySelector<HTMLInputElement>('input[type="hidden"][name$="[depth]"]')
  if (field) field.value = String(depth)
  item.dataset.depth = String(depth)
  for (const part of item.querySelectorAll('[class*="depth-"]')) {
    part.className = part.className.replace(/depth-\d+/, `depth-${Math.min(depth, 5)}`)
  }
}

import type { TextSplice } from './editor/options.ts'
import type { Entries } from './entries.ts'
import { entriesOf, isSame } from './entries.ts'
import { splicesFor } from './splices.ts'
import { editorOf } from './text-fields.ts'

/** The page that answered a form, and what the form had sent. */
export interface Answered {
  readonly page: Document
  readonly form: HTMLFormElement
  readonly sent: Entries
  /** True where it was saved: the form is one of the answer's version from then on. */
  readonly isSaved: boolean
}

/**
 * Has a record's form show what the page of an answer shows of it: version, buttons, notices, and the fields that nobody typed into
 * since it was sent. Texts keep their editor, its undo history, the focus and the place that is seen.
 */
export function takeOver(form: HTMLFormElement, answered: Answered): void {
  const { page, form: drawn, sent, isSaved } = answered
  const now = entriesOf(form)
  const focus = focusIn(form)
  for (const part of form.querySelectorAll<HTMLElement>('[data-part]')) {
    const next = drawn.querySelector(`[data-part="${part.dataset.part}"]`)
    replaceParts(part, next ? [...next.childNodes] : [])
  }
  const texts = [...drawn.querySelectorAll<HTMLTextAreaElement>('textarea.writing')].map((next) => takeText(form, next, sent))
  const fields = [...drawn.querySelectorAll<HTMLElement>('[data-fields]')].map((next) =>
    takeFields(form, next, { sent, now, drawn: entriesOf(drawn) }),
  )
  // Where somebody else changed what was typed in meanwhile, the next save begins from what was shown: then it asks.
  const isWhole = [...texts, ...fields].every(Boolean)
  const wasNew = form.dataset.record === ''
  for (const name of ['_csrf', '_method', ...(isSaved && (isWhole || wasNew) ? ['base'] : [])]) takeHidden(form, drawn, name)
  if (isSaved) {
    form.action = drawn.getAttribute('action') ?? form.action
    form.dataset.record = drawn.dataset.record ?? ''
    document.title = page.title
  }
  const counts = page.querySelectorAll('.nav-list data')
  for (const [n, count] of document.querySelectorAll('.nav-list data').entries())
    count.replaceChildren(counts[n]?.textContent ?? count.textContent)
  focus()
  form.dispatchEvent(new Event('taken-over', { bubbles: true }))
}

/** Puts nodes in the place of those of an element; the one that a script works with stays where it is. */
function replaceParts(part: HTMLElement, nodes: readonly ChildNode[]): void {
  const stays = part.querySelector(':scope > [data-stays]')
  for (const node of [...part.childNodes]) if (node !== stays) node.remove()
  let isBehind = false
  for (const node of nodes) {
    if (node instanceof Element && node.matches('[data-stays]')) isBehind = true
    else if (stays && !isBehind) stays.before(node)
    else part.append(node)
  }
}

/** Brings a text to what was saved; false where that can't be done beside what was typed since. */
function takeText(form: HTMLFormElement, next: HTMLTextAreaElement, sent: Entries): boolean {
  const field = form.elements.namedItem(next.name)
  if (!(field instanceof HTMLTextAreaElement)) return true
  for (const name of ['aria-invalid', 'aria-describedby']) {
    const value = next.getAttribute(name)
    if (value === null) field.removeAttribute(name)
    else field.setAttribute(name, value)
  }
  const editor = editorOf(field)
  const text = sent.get(next.name)?.[0] ?? ''
  const splices = splicesFor({ sent: text, saved: next.value, now: editor?.text() ?? field.value })
  return splices !== undefined && (splices.length === 0 || (editor ? editor.take(splices) : splice(field, splices)))
}

function splice(field: HTMLTextAreaElement, splices: readonly TextSplice[]): boolean {
  for (const { from, to, insert } of splices.toReversed()) field.setRangeText(insert, from, to, 'preserve')
  return true
}

interface Sides {
  readonly sent: Entries
  readonly now: Entries
  readonly drawn: Entries
}

/** Puts fields in the place of those that nobody changed since; false where somebody else changed one that was. */
function takeFields(form: HTMLFormElement, region: HTMLElement, { sent, now, drawn }: Sides): boolean {
  const place = form.querySelector(`[data-fields="${region.dataset.fields}"]`)
  if (!place) form.querySelector('.desk-text')?.append(region)
  if (!place) return true
  const left = new Map([...place.children].map((field) => [keyOf(field), field]))
  let isWhole = true
  let last: Element | undefined
  for (const next of [...region.children]) {
    const key = keyOf(next)
    const old = left.get(key)
    left.delete(key)
    const names = namesIn(old, next)
    if (old && names.some((name) => !isSame(now, sent, name))) {
      isWhole &&= names.every((name) => isSame(drawn, sent, name))
      last = old
      continue
    }
    if (old) old.replaceWith(next)
    else if (last) last.after(next)
    else place.prepend(next)
    next.dispatchEvent(new Event('redrawn', { bubbles: true }))
    last = next
  }
  for (const field of left.values()) if (namesIn(field).every((name) => isSame(now, sent, name))) field.remove()
  return isWhole
}

/** The name of a field's part of the page. */
function keyOf(field: Element): string {
  if (field instanceof HTMLInputElement && field.type === 'hidden') return `hidden ${field.name}`
  return field.id || field.querySelector('[id]')?.id || ''
}

function namesIn(...fields: readonly (Element | undefined)[]): string[] {
  const controls = fields.flatMap((field) => (field ? [field, ...field.querySelectorAll('[name]')] : []))
  return [...new Set(controls.flatMap((control) => control.getAttribute('name') ?? []))].filter((name) => name !== 'do')
}

function takeHidden(form: HTMLFormElement, drawn: HTMLFormElement, name: string): void {
  const [old, next] = [form, drawn].map((one) => one.querySelector<HTMLInputElement>(`:scope > input[name="${name}"]`))
  if (old && next) old.value = next.value
  else if (next) form.prepend(next)
}

/** Remembers where the focus is; what is returned brings it back, to what stands there by then. */
function focusIn(form: HTMLFormElement): () => void {
  const { activeElement: old } = document
  if (!(old instanceof HTMLElement) || !form.contains(old)) return () => undefined
  const part = old.closest<HTMLElement>('[data-part], [data-fields]')
  const { id } = old
  const [name, value] = [old.getAttribute('name'), old.getAttribute('value')]
  const selection =
    old instanceof HTMLInputElement || old instanceof HTMLTextAreaElement ? [old.selectionStart, old.selectionEnd] : []
  return () => {
    if (old.isConnected && document.activeElement === old) return
    const named = [...form.querySelectorAll<HTMLElement>(`[name="${CSS.escape(name ?? '')}"]`)]
    const same = named.find((one) => one.getAttribute('value') === value) ?? (name === 'do' ? undefined : named[0])
    const found = old.isConnected
      ? old
      : (id && document.getElementById(id)) || same || part?.querySelector<HTMLElement>('a, button, input')
    if (!found) return
    found.focus({ preventScroll: true })
    const [start, end] = selection
    if ((found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement) && typeof start === 'number')
      found.setSelectionRange(start, end ?? start)
  }
}

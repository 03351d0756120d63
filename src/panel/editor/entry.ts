import { ChangeSet, EditorState, Text, Transaction } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { textHash } from '#lib/text/hash.ts'
import { extensionsOf, switchLook } from './extensions.ts'
import { LONGEST_RICH } from './limits.ts'
import type { EditorHandle, EditorOptions, Mode, TextChanges, TextSplice } from './options.ts'
import { spliceBetween } from './splice.ts'
import { adoptStyles } from './styles.ts'
import { element } from './widgets.ts'

/** Keeps a text as it is: commands and boxes of tasks change nothing either. */
const onlyRead = [EditorState.readOnly.of(true), EditorState.changeFilter.of(() => false)]

/** Puts an editor in the place of a `<textarea>`. Its form sends the editor's text, and all its text stays what the author wrote. */
export function mountEditor(textarea: HTMLTextAreaElement, options: EditorOptions): EditorHandle {
  adoptStyles()
  return new Editor(textarea, options)
}

class Editor implements EditorHandle {
  readonly #textarea: HTMLTextAreaElement
  readonly #options: EditorOptions
  readonly #isRequired: boolean
  readonly #frame = element('div', 'text-editor')
  readonly #words: HTMLElement
  readonly #notice = element('p', 'editor-notice')
  readonly #listening = new AbortController()
  #mode: Mode = 'plain'
  #view: EditorView | undefined
  /** The text as it was last known, and the changes that made it of the one that the page came with. */
  #text: Text
  #changes: ChangeSet

  constructor(textarea: HTMLTextAreaElement, options: EditorOptions) {
    this.#textarea = textarea
    this.#options = options
    this.#isRequired = textarea.required
    this.#words = options.words ?? element('p', 'editor-count')
    this.#text = Text.of(lines(textarea.defaultValue))
    this.#changes = ChangeSet.empty(this.#text.length)
    this.#notice.setAttribute('role', 'alert')
    this.#frame.append(this.#notice, ...(options.words ? [] : [this.#words]))
    textarea.after(this.#frame)
    this.#listen()
    this.setMode(options.mode)
  }

  get mode(): Mode {
    return this.#mode
  }

  setMode(wanted: Mode): void {
    this.#say('')
    const mode = wanted === 'rich' && this.#textLength() > LONGEST_RICH ? 'source' : wanted
    if (mode !== wanted) this.#say('This text is longer than 1 MiB, so it is shown as source.')
    if (mode === 'plain') this.#close()
    else if (this.#view) switchLook(this.#view, mode)
    else this.#open(mode)
    this.#mode = mode
    this.#frame.dataset.mode = mode
  }

  changes(): TextChanges {
    this.#catchUp()
    return { changes: this.#changes.toJSON(), hash: textHash(this.text()) }
  }

  text(): string {
    return this.#view ? this.#view.state.doc.toString() : this.#textarea.value
  }

  take(splices: readonly TextSplice[]): boolean {
    if (this.#view?.composing) return false
    if (this.#view) this.#view.dispatch({ changes: [...splices], annotations: Transaction.addToHistory.of(false) })
    else for (const { from, to, insert } of splices.toReversed()) this.#textarea.setRangeText(insert, from, to, 'preserve')
    return true
  }

  focus(): void {
    if (this.#view) this.#view.focus()
    else this.#textarea.focus()
  }

  destroy(): void {
    this.#listening.abort()
    this.#close()
    this.#frame.remove()
  }

  #textLength(): number {
    return this.#view ? this.#view.state.doc.length : this.#textarea.value.length
  }

  #open(mode: Exclude<Mode, 'plain'>): void {
    this.#catchUp()
    const given = { ...this.#options, say: (message: string) => this.#say(message) }
    const extensions = [
      extensionsOf(given, mode, this.#text, this.#words),
      EditorView.contentAttributes.of(this.#attributes()),
      this.#textarea.readOnly || this.#textarea.disabled ? onlyRead : [],
      EditorView.domEventObservers({ blur: () => this.#copy() }),
      EditorView.exceptionSink.of((error) => this.#retreat(error)),
      EditorView.updateListener.of(({ docChanged, changes, state }) => {
        if (!docChanged) return
        this.#text = state.doc
        this.#changes = this.#changes.compose(changes)
        this.#options.onChange?.()
      }),
    ]
    this.#view = new EditorView({ state: EditorState.create({ doc: this.#text, extensions }) })
    this.#frame.prepend(this.#view.dom)
    this.#frame.hidden = false
    // A field that is not seen can't be filled in: what is required of it, the server says.
    Object.assign(this.#textarea, { hidden: true, required: false })
  }

  #close(): void {
    this.#copy()
    this.#view?.destroy()
    this.#view = undefined
    document.documentElement.removeAttribute('data-focus')
    this.#frame.hidden = true
    Object.assign(this.#textarea, { hidden: false, required: this.#isRequired })
  }

  /** Has the changes hold what was typed into the textarea, or put there by the browser. */
  #catchUp(): void {
    if (this.#view) return
    const splice = spliceBetween(this.#text, this.#textarea.value)
    if (splice.empty) return
    this.#text = splice.apply(this.#text)
    this.#changes = this.#changes.compose(splice)
  }

  #copy(): void {
    if (this.#view && this.#textarea.value !== this.text()) this.#textarea.value = this.text()
  }

  #say(message: string): void {
    this.#notice.textContent = message
  }

  /** Goes on as source: an error of the rich view must not take the text along. */
  #retreat(error: unknown): void {
    queueMicrotask(() => {
      if (this.#mode !== 'rich') return
      this.setMode('source')
      this.#say('This text can’t be shown as it reads, so it is shown as source.')
    })
    reportError(error)
  }

  #attributes(): Record<string, string> {
    const { labels } = this.#textarea
    for (const label of labels) label.id ||= `${this.#textarea.id}-label`
    const labelledBy = this.#options.labelledBy ?? [...labels].map(({ id }) => id).join(' ')
    const kept = ['aria-describedby', 'aria-invalid', 'aria-label', 'lang', 'dir'].flatMap((name) => {
      const value = this.#textarea.getAttribute(name)
      return value === null ? [] : [[name, value] as const]
    })
    return {
      spellcheck: this.#textarea.getAttribute('spellcheck') ?? 'true',
      autocorrect: 'on',
      autocapitalize: 'sentences',
      ...(labelledBy !== '' && { 'aria-labelledby': labelledBy }),
      ...(this.#isRequired && { 'aria-required': 'true' }),
      ...Object.fromEntries(kept),
    }
  }

  #listen(): void {
    const { signal } = this.#listening
    const { form, labels } = this.#textarea
    form?.addEventListener(
      'formdata',
      ({ formData }) => {
        if (this.#view && this.#textarea.name !== '' && !this.#textarea.disabled) formData.set(this.#textarea.name, this.text())
      },
      { signal },
    )
    form?.addEventListener('reset', () => this.#reset(), { signal })
    addEventListener('pagehide', () => this.#copy(), { signal })
    for (const label of labels) label.addEventListener('click', () => this.#view?.focus(), { signal })
    // A field that is hidden can't be led to, as the summary of a form's errors does.
    document.addEventListener(
      'click',
      (event) => {
        const link = event.target instanceof Element && event.target.closest(`a[href="#${CSS.escape(this.#textarea.id)}"]`)
        if (!link || !this.#view) return
        event.preventDefault()
        this.#view.focus()
        this.#frame.scrollIntoView({ block: 'center' })
      },
      { signal },
    )
    this.#textarea.addEventListener('input', () => this.#options.onChange?.(), { signal })
  }

  #reset(): void {
    const view = this.#view
    if (view) view.dispatch({ changes: spliceBetween(view.state.doc, lines(this.#textarea.defaultValue).join('\n')) })
  }
}

function lines(text: string): string[] {
  return text.split(/\r\n?|\n/)
}

import type { EditorHandle, Mode } from './editor/options.ts'
import { findRecords, uploadFile } from './field-requests.ts'

const MODES: readonly Mode[] = ['rich', 'source', 'plain']

/** The editors of textareas, for what keeps or sends their texts. */
const editors = new WeakMap<HTMLTextAreaElement, EditorHandle>()

/** Returns the editor that stands for a textarea; undefined while it is the browser's own field. */
export function editorOf(textarea: HTMLTextAreaElement): EditorHandle | undefined {
  return editors.get(textarea)
}

/**
 * Mounts an editor on each `<textarea data-editor>` below a node, or on the one in an element that has this attribute. `data-mode`,
 * or the attribute itself, says in which mode; `data-editor-url` the address of the editor, whose name has the hash of its content and
 * which is loaded where a mode needs it. `data-base`, `data-upload` and `data-records` are what the text's own addresses are
 * relative to, and those of field-requests.ts.
 */
export function mountTextFields(root: ParentNode): void {
  for (const textarea of root.querySelectorAll<HTMLTextAreaElement>('textarea[data-editor], [data-editor] textarea')) {
    new TextField(textarea)
  }
}

/** A textarea with its editor, which is loaded when a mode needs it, and the choice of modes. */
class TextField {
  readonly #textarea: HTMLTextAreaElement
  readonly #settings: DOMStringMap
  readonly #toolbar: HTMLElement | undefined
  readonly #choices = document.createElement('div')

  constructor(textarea: HTMLTextAreaElement) {
    this.#textarea = textarea
    this.#settings = textarea.closest<HTMLElement>('[data-editor]')?.dataset ?? {}
    this.#toolbar = textarea.readOnly ? undefined : toolbarOf(textarea)
    this.#choices.className = 'segments'
    this.#choices.setAttribute('role', 'group')
    this.#choices.setAttribute('aria-label', 'Editor')
    this.#choices.append(...MODES.map((mode) => this.#choice(mode)))
    this.#toolbar?.replaceChildren(this.#choices)
    const asked = this.#settings.mode ?? this.#settings.editor
    this.#show(MODES.find((mode) => mode === asked) ?? 'rich')
  }

  #choice(mode: Mode): HTMLButtonElement {
    const button = document.createElement('button')
    button.type = 'button'
    button.value = mode
    button.textContent = `${mode.charAt(0).toUpperCase()}${mode.slice(1)}`
    button.addEventListener('click', async () => {
      await this.#show(mode)
      this.#textarea.dispatchEvent(new CustomEvent('editor-mode', { bubbles: true, detail: mode }))
    })
    return button
  }

  async #show(mode: Mode): Promise<void> {
    const known = editors.get(this.#textarea)
    if (known) known.setMode(mode)
    else if (mode !== 'plain') await this.#mount(mode)
    const shown = editors.get(this.#textarea)?.mode ?? 'plain'
    for (const button of this.#choices.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button.value === shown))
    }
  }

  async #mount(mode: Mode): Promise<void> {
    const { editorUrl, base, upload, records } = this.#settings
    if (!editorUrl) return
    const words = this.#textarea.form?.querySelector<HTMLElement>('[data-words]')
    const loaded: typeof import('./editor/entry.ts') | undefined = await import(editorUrl).catch(() => undefined)
    // Where it can't be loaded, the browser's own field does.
    if (!loaded) return
    editors.set(
      this.#textarea,
      loaded.mountEditor(this.#textarea, {
        mode,
        ...(this.#toolbar && { toolbar: this.#toolbar }),
        ...(words && { words }),
        ...(base && { base }),
        ...(upload && { upload: (file: File) => uploadFile(upload, file, this.#textarea.form) }),
        ...(records && { records: (query: string, signal: AbortSignal) => findRecords(records, query, signal) }),
        onChange: () => this.#textarea.dispatchEvent(new CustomEvent('editor-change', { bubbles: true })),
      }),
    )
  }
}

/** The element for the buttons: the one that says it controls the textarea, else the last before it. */
function toolbarOf(textarea: HTMLTextAreaElement): HTMLElement | undefined {
  const all = [...document.querySelectorAll<HTMLElement>('[data-toolbar]')]
  const before = all.filter((one) => one.compareDocumentPosition(textarea) & Node.DOCUMENT_POSITION_FOLLOWING)
  return all.find((one) => textarea.id !== '' && one.getAttribute('aria-controls') === textarea.id) ?? before.at(-1)
}

import { syntaxTree } from '@codemirror/language'
import { Decoration, type DecorationSet, EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { draw } from './syntax-shapes.ts'

/** Shows Markdown as it will read; the marks of syntax only on the lines that a selection touches. */
class Preview implements PluginValue {
  inside: DecorationSet
  cells: DecorationSet
  readonly #view: EditorView
  #isHeld = false
  #isStale = false

  constructor(view: EditorView) {
    this.#view = view
    const { inside, cells } = draw(view)
    this.inside = inside
    this.cells = cells
    addEventListener('mouseup', this.#release)
  }

  update(update: ViewUpdate): void {
    if (update.view.composing) {
      // A composition ends where what it is in is drawn anew.
      this.inside = this.inside.map(update.changes)
      this.cells = this.cells.map(update.changes)
      this.#isStale = true
    } else if (update.docChanged || update.viewportChanged || this.#isNew(update)) this.#draw()
    else if (update.selectionSet || update.focusChanged) {
      // While the mouse is down the text stays where it is, or the click would end elsewhere.
      if (this.#isHeld) this.#isStale = true
      else this.#draw()
    }
  }

  destroy(): void {
    removeEventListener('mouseup', this.#release)
  }

  hold(): void {
    this.#isHeld = true
  }

  /** Draws again what changed meanwhile, once the view is at rest. */
  refresh(): void {
    setTimeout(() => {
      if (this.#isStale && !this.#isHeld) this.#view.dispatch({})
    })
  }

  #isNew(update: ViewUpdate): boolean {
    return (this.#isStale && !this.#isHeld) || syntaxTree(update.startState) !== syntaxTree(update.state)
  }

  #draw(): void {
    this.#isStale = false
    const { inside, cells } = draw(this.#view)
    this.inside = inside
    this.cells = cells
  }

  readonly #release = (): void => {
    this.#isHeld = false
    this.refresh()
  }
}

/** Has a text shown as it will read. */
export const preview = ViewPlugin.fromClass(Preview, {
  decorations: (plugin) => plugin.inside,
  provide: (plugin) => EditorView.outerDecorations.of((view) => view.plugin(plugin)?.cells ?? Decoration.none),
  eventObservers: {
    mousedown(event) {
      if (event.button === 0) this.hold()
    },
    compositionend() {
      this.refresh()
    },
  },
})

import { StyleModule } from 'style-mod'

/** The document's own list of sheets, under which CodeMirror takes the path it has for shadow roots. */
interface AdoptedSheets {
  readonly ownerDocument: Document
  adoptedStyleSheets: CSSStyleSheet[]
}

const adopted: AdoptedSheets = {
  ownerDocument: document,
  get adoptedStyleSheets() {
    return document.adoptedStyleSheets
  },
  set adoptedStyleSheets(sheets) {
    document.adoptedStyleSheets = sheets
  },
}

const mount = StyleModule.mount
let isLed = false

/** Has CodeMirror adopt its rules as a sheet: a `<style>` element is refused by the panel's Content-Security-Policy. */
export function adoptStyles(): void {
  if (isLed) return
  isLed = true
  StyleModule.mount = (root, modules, options) =>
    mount.call(StyleModule, root === document ? (adopted as unknown as ShadowRoot) : root, modules, options)
}

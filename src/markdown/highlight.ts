import hljs from 'highlight.js/lib/common'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import elixir from 'highlight.js/lib/languages/elixir'
import haskell from 'highlight.js/lib/languages/haskell'
import http from 'highlight.js/lib/languages/http'
import nginx from 'highlight.js/lib/languages/nginx'
import powershell from 'highlight.js/lib/languages/powershell'
import scala from 'highlight.js/lib/languages/scala'

const MORE = { dockerfile, elixir, haskell, http, nginx, powershell, scala }

/** Code with a longer line than this, or that is longer itself, is left without colours: patterns of a grammar go over a line. */
const LONGEST_LINE = 300
const LONGEST_CODE = 16 * 1024
/** The most characters of a text's code that are coloured, from the first on. */
const MOST = 64 * 1024

for (const [name, language] of Object.entries(MORE)) hljs.registerLanguage(name, language)

/** Colours the code of one text, as elements with classes. */
export class Highlighter {
  #left = MOST

  /** Returns code as HTML; undefined where the language is none that is known, or it is too much. */
  html(code: string, language: string): string | undefined {
    if (code.length > LONGEST_CODE || code.length > this.#left || !hljs.getLanguage(language)) return undefined
    if (code.split('\n').some((line) => line.length > LONGEST_LINE)) return undefined
    this.#left -= code.length
    return hljs.highlight(code, { language, ignoreIllegals: true }).value
  }
}

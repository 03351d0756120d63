import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import t from 'tap'

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))

/** The most bytes that the editor may have on its way to a browser. */
const MOST_OF_EDITOR = 135_000

/** The most bytes that a first page may load: its script and its styles. */
const MOST_OF_PAGE = 40_000
const STYLES = fileURLToPath(new URL('../../templates/admin/assets/panel.css', import.meta.url))

function script(name: string): string {
  return readFileSync(join(DIST, 'panel', name), 'utf8')
}

t.test('what browsers load is two files that stay small', async (t) => {
  t.strictSame(readdirSync(join(DIST, 'panel')).sort(), ['editor.js', 'panel.js'])
  const [panel, editor] = [script('panel.js'), script('editor.js')]
  const bytes = (text: string) => gzipSync(text, { level: 9 }).length
  t.ok(bytes(panel) + bytes(readFileSync(STYLES, 'utf8')) <= MOST_OF_PAGE)
  t.ok(bytes(editor) <= MOST_OF_EDITOR)
  t.strictSame(
    panel.match(/\bimport\b[^;]{0,20}/g)?.length,
    1,
    'the editor alone is loaded later, by the address that a page gives',
  )
  t.notMatch(editor, /\bimport\s*[({"'`]|\bfrom\s*["'`]\.\//, 'the editor stands alone')
  t.strictSame(
    [panel, editor].filter((code) => /\beval\(|\bnew Function\b|\bprocess\.env\b/.test(code)),
    [],
    'nothing that the policy refuses',
  )
})

t.test('the licences of what browsers load go along', async (t) => {
  const licences = readFileSync(join(DIST, 'LICENSES.txt'), 'utf8')
  for (const name of ['@codemirror/view', '@lezer/markdown', 'style-mod', 'crelt', 'w3c-keyname']) t.match(licences, `${name} `)
})

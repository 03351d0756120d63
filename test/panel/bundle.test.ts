import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import t from 'tap'

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))

/** The most bytes that the editor may have on its way to a browser. */
const MOST_OF_EDITOR = 135_000

/** The most bytes that pages load, packed: a first page, one with the editor, one with the plain editor. */
const MOST_OF_PAGE = { first: 40_000, edit: 175_000, plain: 70_000 }

function style(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../templates/admin/assets/${name}`, import.meta.url)), 'utf8')
}

function script(name: string): string {
  return readFileSync(join(DIST, 'panel', name), 'utf8')
}

t.test('what browsers load is two files that stay small', async (t) => {
  t.strictSame(readdirSync(join(DIST, 'panel')).sort(), ['editor.js', 'panel.js'])
  const [panel, editor] = [script('panel.js'), script('editor.js')]
  const bytes = (text: string) => gzipSync(text, { level: 9 }).length
  const [first, plain] = [bytes(panel) + bytes(style('panel.css')), bytes(style('editor.css'))]
  t.ok(first <= MOST_OF_PAGE.first, `a first page: ${first}`)
  t.ok(first + plain <= MOST_OF_PAGE.plain, `the plain editor: ${first + plain}`)
  t.ok(first + plain + bytes(editor) <= MOST_OF_PAGE.edit, `the editor: ${first + plain + bytes(editor)}`)
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

import t from 'tap'
import { joined, ODD_DOCUMENTS } from './documents.ts'
import { Editing } from './editing.ts'

/** How many more documents than the short form takes. */
const more = Number(process.argv[2] ?? 0)

const editing = await Editing.start()
t.teardown(() => editing.close())

const documents = [...ODD_DOCUMENTS, ...joined(more)]

/** The texts as a browser sends them, as what they stand for. */
function sent(body: string): string[] {
  const fields = [...new URLSearchParams(body)].filter(([name]) => name.startsWith('body'))
  return fields.map(([, text]) => text.replaceAll('\r\n', '\n'))
}

for (const mode of ['rich', 'source', 'plain'] as const) {
  t.test(`a form sent back as it came has the bytes that it came with: ${mode}`, async (t) => {
    const opened = await editing.open(
      documents.map(([, text]) => text),
      { mode },
    )
    const found = sent(await opened.submit())
    for (const [index, [name, text]] of documents.entries()) t.equal(found[index], text, name)
    t.strictSame(opened.errors, [])
    await opened.close()
  })
}

t.test('edits anywhere that are undone leave the bytes as they were', async (t) => {
  for (const [index, [name, text]] of documents.entries()) {
    if (more === 0 && index % 7 !== 0) continue
    const opened = await editing.open(text)
    const { page } = opened
    const { x, y, height } = await page.evaluate(
      () => document.querySelector('.cm-content')?.getBoundingClientRect() ?? new DOMRect(),
    )
    const words = await page.textContent('.editor-count')
    for (const [place, typed] of EDITS) {
      await page.mouse.click(x + 40 + ((index * 37) % 400), y + 20 + ((index * place) % Math.min(500, height - 40)))
      await page.keyboard.type(typed)
      for (const key of ['Escape', 'Enter', 'Backspace', 'Control+b']) await page.keyboard.press(key)
    }
    t.ok((await opened.text()) !== text, `${name}: edited`)
    for (let count = 1; count <= 60; count++) {
      await page.keyboard.press('Control+z')
      if (count % 5 === 0 && (await opened.text()) === text) break
    }
    t.equal(await opened.text(), text, name)
    t.equal(await page.textContent('.editor-count'), words, `${name}: the words`)
    // A picture whose address was edited is not there.
    t.strictSame(
      opened.errors.filter((error) => !/404/.test(error)),
      [],
      name,
    )
    await opened.close()
  }
})

/** Where to click, and what to type there. */
const EDITS: readonly (readonly [place: number, typed: string])[] = [
  [13, 'x'],
  [41, '| *y'],
  [7, '# '],
]

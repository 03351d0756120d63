import { ChangeSet, Text } from '@codemirror/state'
import t from 'tap'
import { textHash } from '#lib/text/hash.ts'
import { Editing } from './editing.ts'

const editing = await Editing.start()
t.teardown(() => editing.close())

interface Handle {
  text(): string
  changes(): { changes: unknown; hash: string }
  setMode(mode: string): void
  focus(): void
  destroy(): void
}

/** A page's own scope, where a test keeps the editor that it mounted. */
declare global {
  var handle: Handle
}

t.test('changes say what was typed, in every mode, from the text that the page came with', async (t) => {
  const base = 'one\n\ntwo **three**\n\n\ud83d\ude00 four\n'
  const { page, errors, close } = await editing.open('', { mode: 'plain' })
  await page.evaluate(async (text) => {
    const textarea = document.createElement('textarea')
    textarea.defaultValue = text
    document.body.prepend(textarea)
    const address = '/editor.js'
    const { mountEditor } = await import(address)
    globalThis.handle = mountEditor(textarea, { mode: 'rich' })
    globalThis.handle.focus()
  }, base)
  const agrees = async (what: string): Promise<void> => {
    const { text, changes, hash } = await page.evaluate(() => ({
      text: globalThis.handle.text(),
      ...globalThis.handle.changes(),
    }))
    const applied = ChangeSet.fromJSON(changes)
      .apply(Text.of(base.split('\n')))
      .toString()
    t.equal(applied, text, what)
    t.equal(hash, textHash(text), `${what}: the hash`)
  }
  await agrees('nothing typed')
  t.strictSame(await page.evaluate(() => globalThis.handle.changes().changes), [base.length])
  await page.keyboard.press('Control+End')
  await page.keyboard.type('five 😀\nsix')
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('# ')
  await agrees('typed in rich')
  t.ok(JSON.stringify(await page.evaluate(() => globalThis.handle.changes().changes)).length < 60, 'they are short')
  await page.evaluate(() => globalThis.handle.setMode('plain'))
  await page.evaluate(() => {
    const textarea = document.querySelector('textarea')
    if (textarea) textarea.value = textarea.value.replace('two', 'TWO\nand')
  })
  await agrees('typed in plain')
  await page.evaluate(() => globalThis.handle.setMode('source'))
  await page.evaluate(() => globalThis.handle.focus())
  await page.keyboard.type('x')
  await agrees('typed in source')
  const text = await page.evaluate(() => {
    globalThis.handle.destroy()
    return document.querySelector('textarea')?.value
  })
  t.match(text, 'TWO\nand', 'the textarea has the text in the end')
  t.strictSame(errors, [])
  await close()
})

t.test('a text over 1 MiB is edited as source, and none is written anew', async (t) => {
  const long = 'A line of some words, *with* marks.\n\n'.repeat(32_000)
  const { page, text, errors, close } = await editing.open(long)
  t.equal(await page.textContent('.editor-notice'), 'This text is longer than 1 MiB, so it is shown as source.')
  t.equal(await page.evaluate(() => document.querySelector('.text-editor')?.getAttribute('data-mode')), 'source')
  await page.click('.cm-line')
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('x')
  t.ok((await text()) === `x${long}`)
  t.strictSame(errors, [])
  await close()
})

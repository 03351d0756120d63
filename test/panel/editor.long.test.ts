import t from 'tap'
import type { BrowserPage } from '#support/chromium.ts'
import { clickLine, edit, editing, shown } from './cases.ts'

const LINKS = '[words](https://a.example/b) [own](/c) [script](javascript:alert(1))\n\nhttps://bare.example/d\n'

/** Addresses that a page wanted opened. */
declare global {
  var opened: string[]
}

edit('tasks are ticked by a click and by a key', 'a\n\n- [ ] one\n- [x] two\n', async (t, { page, text }) => {
  await page.click('.md-task')
  t.equal(await text(), 'a\n\n- [x] one\n- [x] two\n')
  await clickLine(page, 'two')
  await page.keyboard.press('Control+Enter')
  t.equal(await text(), 'a\n\n- [x] one\n- [ ] two\n')
})

edit('shortcuts and buttons', 'one two\n', async (t, { page, text }) => {
  await page.keyboard.press('Tab')
  await page.click('.cm-line')
  await page.keyboard.press('Home')
  await page.keyboard.press('Control+Shift+ArrowRight')
  await page.keyboard.press('Control+b')
  t.equal(await text(), '**one** two\n')
  t.equal(await page.evaluate(() => document.querySelector('[aria-label=Bold]')?.getAttribute('aria-pressed')), 'true')
  await page.click('[aria-label=Bold]')
  t.equal(await text(), 'one two\n')
  await page.keyboard.press('Control+Alt+2')
  t.equal(await text(), '## one two\n')
  await page.keyboard.press('Control+Alt+0')
  await page.keyboard.press('Control+Shift+8')
  t.equal(await text(), '- one two\n')
  await page.click('[aria-label="Numbered list"]')
  t.equal(await text(), '1. one two\n')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.type('next')
  t.equal(await text(), '1. one two\n2. next\n', 'a list goes on')
  await page.click('[aria-label=Quote]')
  t.equal(await text(), '1. one two\n> 2. next\n')
})

for (const [name, typed, expected] of [
  ['a list', '- a\nb\n\nc', '- a\n- b\n\nc'],
  ['numbers', '9. a\nb\n\nc', '9. a\n10. b\n\nc'],
  ['tasks', '- [ ] a\nb\n\nc', '- [ ] a\n- [ ] b\n\nc'],
  ['a quote', '> a\nb\n\nc', '> a\n> b\n\nc'],
  ['a table', '| a | b |\n|---|---|\nc\n\nd', '| a | b |\n|---|---|\n| c |  |\n\nd'],
  ['code', '```\n- \n> \na', '```\n- \n> \na'],
  ['paragraphs', 'a\nb\n\nc', 'a\nb\n\nc'],
] as const) {
  edit(`Enter goes on, and a second one ends: ${name}`, '', async (t, { page, text }) => {
    await page.click('.cm-content')
    for (const part of typed.split(/(?<=\n)/)) {
      await page.keyboard.type(part.replace('\n', ''))
      // A row goes on where it ends.
      if (name === 'a table' && part === 'c\n') await page.keyboard.press('End')
      if (part.endsWith('\n')) await page.keyboard.press('Enter')
    }
    t.equal(await text(), expected)
  })
}

edit('the slash menu by keyboard', 'a\n', async (t, { page, text }) => {
  await page.keyboard.press('Tab')
  await page.click('.cm-content')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('/tab')
  await page.waitForSelector('.cm-tooltip-autocomplete [aria-selected]')
  t.strictSame(await page.evaluate(() => document.querySelector('.cm-tooltip-autocomplete ul')?.getAttribute('role')), 'listbox')
  const isInSight = () => (document.querySelector('.cm-tooltip-autocomplete')?.getBoundingClientRect().top ?? -1) > 0
  await page.waitForFunction(isInSight, undefined, { timeout: 10_000 })
  // The menu takes no key for a moment, so that one that was meant for the text does not choose.
  await page.waitForFunction(() => performance.now() > 0 && document.querySelectorAll('.cm-tooltip-autocomplete li').length === 1)
  await pressUntil(page, 'Enter', () => document.querySelector('.md-row') !== null)
  t.equal(await text(), 'a\n\n| Column | Column |\n| --- | --- |\n|  |  |')
  await page.keyboard.type('Place')
  t.match(await text(), '| Place | Column |')
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' and/or 1/2')
  t.equal(await page.evaluate(() => document.querySelector('.cm-tooltip-autocomplete')), null, 'a slash within a word is a slash')
})

/** Presses a key while the menu is open. */
async function pressUntil(page: BrowserPage, key: string, isDone: () => boolean): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))))
  await page.keyboard.press(key)
  await page.waitForFunction(isDone)
}

edit('links to records', '\n', async (t, { page, text }) => {
  await page.click('.cm-content')
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('See [[elb')
  await page.waitForSelector('.cm-tooltip-autocomplete [aria-selected]')
  await pressUntil(page, 'Enter', () => document.querySelector('.cm-tooltip-autocomplete') === null)
  t.equal(await text(), 'See [Elbe \\[locks\\]](</boats/elbe locks>)\n')
})

edit('what breaks the rich view leaves the text, as source', 'a\n', async (t, { page, text, errors }) => {
  await page.click('.cm-line')
  await page.evaluate(() => {
    URL.canParse = () => {
      throw new Error('broken')
    }
  })
  await page.keyboard.type('![b](/c) d')
  await page.waitForFunction(() => document.querySelector('.text-editor')?.getAttribute('data-mode') === 'source')
  await page.keyboard.type(' e')
  t.match(await text(), '![b](/c) d e')
  t.match(await page.textContent('.editor-notice'), 'shown as source')
  t.ok(errors.splice(0).every((error) => /broken/.test(error)))
})

edit('what may only be read stays as it is', '- [ ] a\n', async (t, { page, text }) => {
  await page.evaluate(() => {
    const [rich, plain] = ['rich', 'plain'].map((mode) => document.querySelector<HTMLElement>(`button[value=${mode}]`))
    plain?.click()
    const textarea = document.querySelector('textarea')
    if (textarea) textarea.readOnly = true
    rich?.click()
  })
  await page.click('.md-task')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('x')
  await page.click('[aria-label=Bold]')
  await page.keyboard.press('Control+Shift+8')
  t.equal(await text(), '- [ ] a\n')
})

edit('a link to the field leads to the editor, and focus mode ends with Escape', 'a\n', async (t, { page }) => {
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: '#f-body', id: 'lead', textContent: 'Text is missing' })
    document.body.prepend(link)
  })
  await page.click('#lead')
  t.equal(await page.evaluate(() => document.activeElement?.className.includes('cm-content')), true)
  const isFocus = (): Promise<boolean> => page.evaluate(() => document.documentElement.hasAttribute('data-focus'))
  await page.keyboard.press('Control+Shift+F')
  t.equal(await isFocus(), true)
  await page.keyboard.press('Escape')
  t.equal(await isFocus(), false)
  await page.keyboard.press('Control+f')
  await page.waitForSelector('.cm-search')
  await page.keyboard.press('Escape')
  const isInside = (): Promise<boolean> => page.evaluate(() => document.activeElement?.classList.contains('cm-content') ?? false)
  t.equal(await isInside(), true, 'Escape closes what is open')
  await page.keyboard.press('Escape')
  t.equal(await isInside(), false, 'then it leaves')
  await page.keyboard.press('Tab')
  t.equal(await page.evaluate(() => document.activeElement?.id), 'save', 'and Tab goes on from there')
})

t.test('the plain field loads no editor, and stands in where it can not be loaded', async (t) => {
  const scripts = (page: BrowserPage): Promise<string[]> =>
    page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname))
  const plain = await (await editing()).open('a\n', { mode: 'plain' })
  t.strictSame((await scripts(plain.page)).sort(), ['/editor.css', '/panel.js'])
  t.strictSame(plain.errors, [])
  await plain.close()
  const broken = await (await editing()).open('a\n', { script: '/missing.js' })
  await broken.page.waitForSelector('button[value=plain][aria-pressed=true]')
  await broken.page.fill('#f-body', 'b\n')
  t.equal(new URLSearchParams(await broken.submit()).get('body'), 'b\r\n')
  t.match(broken.errors.join(), '404')
  await broken.close()
})

edit('the Tab key leaves, both ways', 'a\n', async (t, { page }) => {
  await page.click('.cm-content')
  await page.keyboard.press('Tab')
  t.equal(await page.evaluate(() => document.activeElement?.id), 'save')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Shift+Tab')
  t.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Heading 2', 'the toolbar is one stop')
  await page.keyboard.press('ArrowRight')
  t.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Bold')
  await page.keyboard.press('Shift+Tab')
  t.equal(await page.evaluate(() => document.activeElement?.id), 'before')
})

edit('links open with Control, and only those that lead to a page', LINKS, async (t, { page, text }) => {
  await page.evaluate(() => {
    globalThis.opened = []
    globalThis.open = (address) => {
      globalThis.opened.push(String(address))
      return null
    }
  })
  for (const link of ['words', 'own', 'script', 'https://bare.example/d']) {
    const { x, y } = await page.evaluate((link) => {
      const found = [...document.querySelectorAll('.md-link')].find(({ textContent }) => textContent === link)
      const { left, top } = found?.getBoundingClientRect() ?? new DOMRect()
      return { x: left + 8, y: top + 8 }
    }, link)
    await page.keyboard.down('Control')
    await page.mouse.click(x, y)
    await page.keyboard.up('Control')
  }
  const origin = await page.evaluate(() => location.origin)
  t.strictSame(await page.evaluate(() => globalThis.opened), ['https://a.example/b', `${origin}/c`, 'https://bare.example/d'])
  t.equal(await text(), LINKS)
})

edit('modes, the label, the names', '**a** b\n', async (t, { page, text }) => {
  const mode = (name: string): Promise<void> => page.click(`.segments button[value=${name}]`)
  t.strictSame(await shown(page), ['a b', ''])
  await mode('source')
  t.strictSame(await shown(page), ['**a** b', ''])
  await page.click('label')
  t.equal(await page.evaluate(() => document.activeElement?.className.includes('cm-content')), true)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('c')
  await mode('plain')
  t.equal(await page.evaluate(() => document.querySelector('.cm-editor')), null)
  await page.fill('#f-body', '**a** b\nc\nd')
  await mode('rich')
  t.equal(await text(), '**a** b\nc\nd')
  t.equal(await page.evaluate(() => document.querySelector('.cm-content')?.getAttribute('aria-labelledby')), 'f-body-label')
  t.equal(await page.textContent('.editor-count'), '4 words · 1 min')
  await page.evaluate(() => document.forms[0]?.reset())
  t.equal(await text(), '**a** b\n')
})

edit(
  'no element of style, no complaint of the policy, and a text that would hold the page does not',
  `start\n\n${'*a_ '.repeat(20_000)}\n\n${'[a]('.repeat(10_000)}\n`,
  async (t, opened) => {
    const { page } = opened
    await page.click('.cm-line')
    const took = await page.evaluate(() => performance.now())
    await page.keyboard.type('quick')
    t.ok((await page.evaluate(() => performance.now())) - took < 3000)
    t.match(await opened.text(), 'quick')
    await page.keyboard.press('Control+f')
    await page.waitForSelector('.cm-search')
    t.equal(await page.evaluate(() => document.querySelectorAll('style').length), 0)
    t.equal(await page.evaluate(() => document.adoptedStyleSheets.length), 1)
    const before = opened.errors.length
    await page.evaluate(() => document.head.append(Object.assign(document.createElement('style'), { textContent: 'p{}' })))
    t.equal(opened.errors.length, before + 1, 'the browser would have said so')
    opened.errors.pop()
  },
)

edit(
  'without JavaScript it is the textarea',
  'a\r\nb',
  async (t, { submit }) => {
    t.equal(new URLSearchParams(await submit()).get('body'), 'a\r\nb')
  },
  { javaScriptEnabled: false },
)

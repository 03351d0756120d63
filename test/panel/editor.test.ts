import t, { type Test } from 'tap'
import type { BrowserPage } from '#support/chromium.ts'
import { Editing, type Opened, type Opening } from './editing.ts'

const editing = await Editing.start()
t.teardown(() => editing.close())

/** Tests what happens to a text in an editor. What the browser complains of fails it. */
function edit(name: string, text: string, run: (t: Test, opened: Opened) => Promise<void>, opening: Opening = {}): void {
  t.test(name, async (t) => {
    const opened = await editing.open(text, opening)
    await run(t, opened)
    t.strictSame(opened.errors, [], 'the browser complains of nothing')
    await opened.close()
  })
}

/** Clicks on the line that has a text, at its end. */
async function clickLine(page: BrowserPage, text: string): Promise<void> {
  const { x, y } = await page.evaluate((text) => {
    const line = [...document.querySelectorAll('.cm-line')].find((line) => line.textContent?.includes(text))
    const { right, bottom } = line?.getBoundingClientRect() ?? new DOMRect()
    return { x: right, y: bottom }
  }, text)
  await page.mouse.click(x - 60, y - 8)
  const isActive = (text: string): boolean => document.querySelector('.md-active')?.textContent?.includes(text) ?? false
  await page.waitForFunction(isActive, text)
  await page.keyboard.press('End')
}

/** The lines as they are shown. */
function shown(page: BrowserPage): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.cm-line')].map((line) => line.innerText.replaceAll('\n', '')),
  )
}

/** Waits for a line to be shown as a text: what the focus and the mouse change is drawn a moment after. */
async function becomes(page: BrowserPage, index: number, text: string): Promise<void> {
  const expected = { index, text }
  await page.waitForFunction(({ index, text }) => {
    const line = document.querySelectorAll<HTMLElement>('.cm-line')[index]
    return line?.innerText.replaceAll('\n', '') === text
  }, expected)
}

function classesOf(page: BrowserPage, selector: string): Promise<(string | undefined)[]> {
  return page.evaluate((selector) => [...document.querySelectorAll(selector)].map((found) => found.textContent ?? ''), selector)
}

/** Has the browser paste something, as if from the clipboard. */
async function paste(page: BrowserPage, parts: Record<string, string>): Promise<void> {
  await page.evaluate((parts) => {
    const data = new DataTransfer()
    for (const [type, text] of Object.entries(parts)) data.setData(type, text)
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
    document.querySelector('.cm-content')?.dispatchEvent(event)
  }, parts)
}

edit(
  'syntax is shown on the lines of the selection alone',
  '# Title\n\nA **bold** [link](/a) and `code`.\n\n> quoted *words*\n',
  async (t, { page }) => {
    t.strictSame(await shown(page), ['Title', '', 'A bold link and code.', '', 'quoted words', ''])
    await clickLine(page, 'bold')
    await becomes(page, 2, 'A **bold** [link](/a) and `code`.')
    t.equal((await shown(page))[4], 'quoted words')
    await page.keyboard.press('Control+Home')
    await becomes(page, 0, '# Title')
    t.strictSame((await shown(page)).slice(1, 3), ['', 'A bold link and code.'])
    await page.keyboard.press('Control+a')
    await becomes(page, 4, '> quoted *words*')
    await page.focus('#before')
    await becomes(page, 0, 'Title')
    t.equal((await shown(page))[4], 'quoted words', 'and none without the focus')
  },
)

edit(
  'a click ends where it was aimed, whatever is hidden',
  'one **two** [three](/a-long-address-that-is-hidden) **four** five\n',
  async (t, { page, text }) => {
    const { x, y } = await page.evaluate(() => {
      const range = document.createRange()
      const line = document.querySelector('.cm-line') as HTMLElement
      const words = [...line.childNodes].at(-1) as Text
      range.setStart(words, words.data.indexOf('five') + 2)
      const { left, top } = range.getBoundingClientRect()
      return { x: left, y: top }
    })
    await page.mouse.click(x + 1, y + 8)
    await page.keyboard.type('|')
    t.equal(await text(), 'one **two** [three](/a-long-address-that-is-hidden) **four** fi|ve\n')
  },
)

edit(
  'tables are aligned, and each character stays in the text',
  'before\n\n| a | much wider |\n|---|--:|\n| longer still | b |\n| c | d |\n\nafter\n',
  async (t, { page, text }) => {
    const cells = await page.evaluate(() =>
      [...document.querySelectorAll('.md-row:not(.md-thin-row)')].map((row) =>
        [...row.querySelectorAll('.md-cell')].map((cell) => {
          const { left, width } = cell.getBoundingClientRect()
          return { text: cell.textContent?.trim(), place: `${left} ${width}`, display: getComputedStyle(cell).display }
        }),
      ),
    )
    t.strictSame(
      cells.map((row) => row.map(({ text }) => text)),
      [
        ['a', 'much wider'],
        ['longer still', 'b'],
        ['c', 'd'],
      ],
    )
    for (const column of [0, 1]) t.equal(new Set(cells.map((row) => row[column]?.place)).size, 1, `column ${column}`)
    t.ok(cells.flat().every(({ display }) => display === 'table-cell'))
    await clickLine(page, 'longer')
    await page.keyboard.type('!')
    t.match(await text(), '| longer still | b |!\n| c | d |')
    await page.keyboard.press('Control+Home')
    for (let line = 0; line < 6; line++) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    await page.keyboard.type('?')
    t.match(await text(), /\n\?\nafter|after\?|d \|\?/, 'arrows come through')
  },
)

edit(
  'pictures of the site are shown, of others their words',
  '![A boat](/picture.png)\n\n![A tracker](https://elsewhere.example/a.png)\n',
  async (t, { page }) => {
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('.md-picture img')?.naturalWidth === 1)
    t.strictSame(await classesOf(page, '.md-missing'), ['A tracker'])
    t.equal(await page.evaluate(() => document.querySelectorAll('.cm-content .md-picture img').length), 1)
    const before = await page.evaluate(() => document.querySelector('.md-picture')?.getBoundingClientRect().height)
    t.ok(before && before > 100, 'in a box of a fixed height')
  },
)

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

edit('rich text is pasted as Markdown', 'a\n', async (t, { page, text }) => {
  await page.click('.cm-content')
  await page.keyboard.press('Control+Home')
  for (const [html, expected] of PASTED) {
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await paste(page, { 'text/html': html, 'text/plain': '…' })
    t.equal(await text(), expected, html.slice(0, 60))
  }
  await page.keyboard.press('Control+a')
  await page.keyboard.type('words')
  await page.keyboard.press('Control+a')
  await paste(page, { 'text/plain': 'https://a.example/b' })
  t.equal(await text(), '[words](https://a.example/b)', 'an address on words makes a link')
  await page.keyboard.press('Control+a')
  await paste(page, { 'text/html': '<div>some_words *as* they are</div>', 'text/plain': 'some_words *as* they are' })
  t.equal(await text(), 'some_words *as* they are', 'what has no form is pasted as it is')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('```\n\n```')
  await page.keyboard.press('ArrowUp')
  await paste(page, { 'text/html': '<b>bold</b> text', 'text/plain': 'bold text' })
  t.equal(await text(), '```\nbold text\n```', 'in code nothing has a form')
})

const PASTED: readonly (readonly [html: string, markdown: string])[] = [
  ['<p>a <b>b</b> <i>c</i> <code>d</code></p><p style="color:red" onclick="x()">e</p>', 'a **b** *c* `d`\n\ne'],
  ['<meta charset=utf-8><b style="font-weight:normal"><p><span style="font-weight:700">a</span> b</p></b>', '**a** b'],
  ['<style>p{color:red}</style><script>alert(1)</script><p>a</p>', 'a'],
  ['<h2>a <b>b</b></h2><hr><blockquote><p>c</p><p>d</p></blockquote>', '## a b\n\n---\n\n> c\n>\n> d'],
  ['<ul><li>a<ul><li>b</li></ul></li><li><p>c</p></li></ul><ol start=3><li>d<li>e</ol>', '- a\n  - b\n- c\n\n3. d\n4. e'],
  ['<ul><li><input type=checkbox checked> a</li><li><input type=checkbox> b</li></ul>', '- [x] a\n- [ ] b'],
  [
    '<table><tr><th>a</th><th>b</th></tr><tr><td>c|d</td><td><b>e</b></td></tr></table>',
    '| a | b |\n| --- | --- |\n| c\\|d | **e** |',
  ],
  ['<pre><code class="language-js">let a = `b`\n\nc</code></pre>', '```js\nlet a = `b`\n\nc\n```'],
  ['<a href="https://a.example/(b)">c</a> <a href="javascript:alert(1)">d</a>', '[c](<https://a.example/(b)>) d'],
  ['<p>1. a * b _c_ [d] &lt;e&gt; # f</p><p># g</p>', '1\\. a \\* b \\_c\\_ \\[d] \\<e> # f\n\n\\# g'],
  ['a<br>b<br>', 'a\\\nb'],
  ['<img src="https://a.example/b.png" alt="c"><img src="data:image/png;base64,AA" alt="d">', '![c](https://a.example/b.png)d'],
  ['<p>a<strong> b </strong>c<em></em></p>', 'a **b** c'],
  [`${'<div>'.repeat(400)}a${'</div>'.repeat(400)}`, 'a'],
  ['<p>a</p><b "'.repeat(2), 'a'],
]

edit('hostile HTML is pasted in a moment', '\n', async (t, { page, text }) => {
  await page.click('.cm-content')
  for (const [start, part, end] of HOSTILE) {
    await page.keyboard.press('Control+a')
    const took = await page.evaluate(
      ([start, part, end]) => {
        const data = new DataTransfer()
        data.setData('text/html', start + part.repeat(Math.floor(450_000 / part.length)) + end)
        data.setData('text/plain', 'x')
        const begun = performance.now()
        const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
        document.querySelector('.cm-content')?.dispatchEvent(event)
        return performance.now() - begun
      },
      [start, part, end] as const,
    )
    t.ok(took < 5000, `${start}${part}: ${Math.round(took)} ms`)
  }
  t.not(await text(), '\n')
})

/** HTML that something in a converter could read again and again. */
const HOSTILE: readonly (readonly [start: string, part: string, end: string])[] = [
  ['<script>', '</script ', ''],
  ['<p>', '<i> </i>', 'a'],
  ['<p>a', '<br>', 'b'],
  ['<pre>a', '\n', 'b</pre>'],
  ['<p><code>', '`a', '</code>'],
  ['', '<a "', ''],
  ['<p>', '&nbsp; ', 'a'],
  ['', '<ul><li>', 'a'],
  ['</ul>', '<ul></x><li>', 'a'],
  ['', '<blockquote>a', ''],
  ['', '<table><tr><td>a<td>', 'b'],
  ['<p>', '<span><b>', 'a'],
]

edit('files are uploaded where they were put', 'one two\n', async (t, { page, text, errors }) => {
  await page.click('.cm-line')
  await page.keyboard.press('Home')
  await page.evaluate(() => {
    const data = new DataTransfer()
    for (const name of ['boat.png', 'bad.png']) data.items.add(new File(['x'], name, { type: 'image/png' }))
    document
      .querySelector('.cm-content')
      ?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })
  await page.waitForFunction(() => document.querySelector('.md-waiting') === null)
  t.equal(await text(), '![boat](/picture.png)one two\n')
  t.equal(await page.textContent('.editor-notice'), 'bad.png was not uploaded: it is too large.')
  t.match(errors.pop(), '413')
})

edit('a picture that a browser copied is uploaded, and one beside a text is not', '\n', async (t, { page, text }) => {
  await page.click('.cm-content')
  await page.keyboard.press('Control+Home')
  const pasteWith = (html: string): Promise<void> =>
    page.evaluate((html) => {
      const data = new DataTransfer()
      data.items.add(new File(['x'], 'boat.png', { type: 'image/png' }))
      data.setData('text/html', html)
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
      document.querySelector('.cm-content')?.dispatchEvent(event)
    }, html)
  await pasteWith('<meta charset=utf-8><img src="https://elsewhere.example/a.png" alt=a>')
  await page.waitForFunction(() => document.querySelector('.md-picture img') !== null)
  t.equal(await text(), '![boat](/picture.png)\n')
  await page.keyboard.press('Control+a')
  await pasteWith('<table><tr><td>1<td>2</table>')
  t.equal(await text(), '| 1 | 2 |\n| --- | --- |')
})

edit('a selection is drawn over lines with the mouse', '**one** two\n\n[three](/address) four\n', async (t, { page, text }) => {
  const [from, to] = await page.evaluate(() =>
    ['two', 'four'].map((word) => {
      const walker = document.createTreeWalker(document.querySelector('.cm-content') as Element, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        const found = walker.currentNode as Text
        if (!found.data.includes(word)) continue
        const range = document.createRange()
        range.setStart(found, found.data.indexOf(word))
        const { left, top } = range.getBoundingClientRect()
        return { x: left + 1, y: top + 8 }
      }
      return { x: 0, y: 0 }
    }),
  )
  await page.mouse.move(from?.x ?? 0, from?.y ?? 0)
  await page.mouse.down()
  await page.mouse.move(to?.x ?? 0, to?.y ?? 0, { steps: 8 })
  await page.mouse.up()
  await page.keyboard.type('-')
  t.equal(await text(), '**one** -four\n')
})

for (const place of ['bold', 'link', 'cell', 'item', 'heading', 'end']) {
  const base = '# heading\n\n- item\n\nA **bold** [link](/a).\n\n| cell | b |\n|---|---|\n| c | d |\n\nend\n'
  edit(`an input method composes: ${place}`, base, async (t, { page, text }) => {
    const { x, y } = await page.evaluate((place) => {
      const walker = document.createTreeWalker(document.querySelector('.cm-content') as Element, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) if (walker.currentNode.textContent?.includes(place)) break
      const range = document.createRange()
      range.selectNodeContents(walker.currentNode)
      const { right, bottom } = range.getBoundingClientRect()
      return { x: right, y: bottom }
    }, place)
    await page.mouse.click(x - 3, y - 8)
    const before = await text()
    const session = await page.context().newCDPSession(page)
    for (const part of ['k', 'か', 'かな']) {
      await session.send('Input.imeSetComposition', { text: part, selectionStart: part.length, selectionEnd: part.length })
    }
    await session.send('Input.insertText', { text: '仮名' })
    t.match(await text(), '仮名')
    t.equal((await text()).replace('仮名', ''), before, 'and nothing else')
    await page.keyboard.press('Control+z')
    t.equal(await text(), before)
  })
}

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

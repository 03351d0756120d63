import { becomes, clickLine, edit, shown, textsOf } from './cases.ts'

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
    t.strictSame(await textsOf(page, '.md-missing'), ['A tracker'])
    t.equal(await page.evaluate(() => document.querySelectorAll('.cm-content .md-picture img').length), 1)
    const before = await page.evaluate(() => document.querySelector('.md-picture')?.getBoundingClientRect().height)
    t.ok(before && before > 100, 'in a box of a fixed height')
  },
)

edit('a picture whose address is being typed is asked for once', '', async (t, { page }) => {
  await page.click('.cm-content')
  await page.keyboard.type('![a](/picture.png')
  await page.keyboard.type(')')
  for (let count = 0; count < 4; count++) await page.keyboard.press('ArrowLeft')
  for (const _ of 'png') await page.keyboard.press('Delete')
  await page.keyboard.type('png')
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>('.md-picture img')?.naturalWidth === 1)
  const asked = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname))
  t.strictSame(
    asked.filter((path) => path.startsWith('/p') && path !== '/panel.js'),
    ['/picture.png'],
  )
})

edit('a line keeps its height when all that is in it is hidden', '```\na\n```\n\n> b\n>\n> c\n', async (t, { page }) => {
  const heights = await page.evaluate(() =>
    [...document.querySelectorAll('.cm-line')].map((line) => line.getBoundingClientRect().height),
  )
  t.ok(
    heights.every((height) => height >= 24),
    heights.join(),
  )
})

edit('what is hidden makes no end of a line', '*em*, '.repeat(80), async (t, { page }) => {
  // At some width each word comes to the end of a line.
  for (let width = 400; width < 440; width += 2) {
    await page.setViewportSize({ width, height: 800 })
    const early = await page.evaluate(() => {
      const range = document.createRange()
      const walker = document.createTreeWalker(document.querySelector('.cm-line') as Element, NodeFilter.SHOW_TEXT)
      const tops: number[] = []
      while (walker.nextNode()) {
        range.setStart(walker.currentNode, 0)
        range.setEnd(walker.currentNode, 1)
        tops.push(range.getBoundingClientRect().top)
      }
      // Words and what comes after each of them take turns.
      return tops.filter((top, index) => index % 2 === 1 && top > (tops[index - 1] ?? 0) + 10).length
    })
    t.equal(early, 0, `at ${width} no comma begins a line`)
  }
  await page.setViewportSize({ width: 1000, height: 800 })
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

const WALKED = '# a\n\n![b](/picture.png)\n\n| c | d |\n|---|---|\n| e | f |\n\n---\n\n- [ ] g\n\n```\nh\n```\n\n> i\n\nend'

edit('arrows are never trapped', WALKED, async (t, { page, text }) => {
  await page.click('.cm-line')
  await page.keyboard.press('Control+Home')
  const head = (): Promise<number> =>
    page.evaluate(() => [...document.querySelectorAll('.cm-line')].findIndex((line) => line.classList.contains('md-active')))
  const seen = [await head()]
  for (let count = 0; count < 30 && seen.at(-1) !== 18; count++) {
    await page.keyboard.press('ArrowDown')
    seen.push(await head())
  }
  t.equal(seen.at(-1), 18, 'down to the last line')
  t.ok(
    seen.every((line, index) => index === 0 || line >= (seen[index - 1] ?? 0)),
    'and never back',
  )
  for (let count = 0; count < 40 && (await head()) !== 0; count++) await page.keyboard.press('ArrowUp')
  t.equal(await head(), 0, 'up to the first')
  for (let count = 0; count < WALKED.length + 10; count++) await page.keyboard.press('ArrowRight')
  t.equal(await head(), 18, 'and through each character')
  t.equal(await text(), WALKED)
})

edit('a line that is written from right to left goes so', 'One.\n\nטקסט בעברית.\n\nTwo.\n', async (t, { page }) => {
  const ways = () =>
    page.evaluate(() => [...document.querySelectorAll('.cm-line')].map((line) => getComputedStyle(line).direction))
  t.strictSame(await ways(), ['ltr', 'ltr', 'rtl', 'ltr', 'ltr', 'ltr'])
  await page.focus('.cm-content')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('عربي')
  await page.waitForFunction(() => [...document.querySelectorAll('.cm-line')].at(-1)?.getAttribute('dir') === 'auto')
  t.equal((await ways()).at(-1), 'rtl')
})

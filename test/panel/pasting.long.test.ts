import { edit, paste } from './cases.ts'

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

edit('with Shift the text alone is pasted', '', async (t, { page, text }) => {
  await page.click('.cm-content')
  await page.keyboard.down('Shift')
  await paste(page, { 'text/html': '<b>bold</b>', 'text/plain': 'bold' })
  await page.keyboard.up('Shift')
  t.equal(await text(), 'bold')
})

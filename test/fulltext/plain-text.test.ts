import { ok, strictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { plainText } from '#fulltext/text/plain-text.ts'
import { longTest } from '#support/long.ts'

t.test('of Markdown and HTML what a reader reads is read', async (t) => {
  const texts: readonly (readonly [string, string])[] = [
    ['# Title of *it* ##\nText', 'Title of it\nText'],
    ['**bold**text _em_ ~~gone~~ snake_case 2*3 a * b', 'boldtext em gone snake_case 2*3 a * b'],
    ['[a *link*](https://x.example/y_(z) "title") ![alt](i.png) [![in](a)](<b c> (t))', 'a link alt in'],
    [
      '[shown][Ref  1] [ref 1] [ref 1][] [other][none] a[0]\n\n[REF 1]: https://x.example "t"',
      'shown ref 1 ref 1 [other][none] a[0]',
    ],
    ['[a](b \'open) [a](b "t"x) ](c)', '[a](b \'open) [a](b "t"x) ](c)'],
    ['```js title="info"\nif (a < b && c) {{ x }} **y**\n```', 'if (a < b && c) {{ x }} **y**'],
    ['~~~\n```\n~~~~\nafter', '```\nafter'],
    ['use `<div> &amp; [x](y)` and ``a ` b`` and ` open', 'use <div> &amp; [x](y) and a ` b and ` open'],
    ['    <indented> code', '    <indented> code'],
    ['> quoted\n> > twice\n\n- [x] done\n1. first', 'quoted\ntwice\ndone\nfirst'],
    ['| a | b |\n|---|:-:|\n| c | d |', 'a   b\nc   d'],
    ['Head\n----\ntext\n\n***', 'Head\ntext'],
    ['f<b>o</b>o<br>bar <a title="x > y">z</a> 1 < 2 <3', 'foo bar z 1 < 2 <3'],
    ['a <!-- no\n\nno --> b <script>no()\n\nno()</script>c <STYLE>no</STYLE>', 'a  b   c   '],
    ['a <template>no\n\nno</template>b <NoScript>no\n\nno</noscript>c', 'a   b   c'],
    ['a <script>no</SCRIPT>b\n\nc <style>no\n\nd `<script>` e', 'a   b\nc  \nd <script> e'],
    ['&copy; &#8212; &#x41; &eacute; &nope; &#0; A & B \\*c\\*', '© — A é &nope; &#0; A & B *c*'],
    ['{{< figure src="no" >}}a{% no %}b{{ no }}c {# d', 'abc {# d'],
    ['Note[^1] {#id .class}\n\n[^1]: The note.', 'Note \n The note.'],
    ['<https://x.example/a> <me@x.example> https://y.example', 'https://x.example/a me@x.example https://y.example'],
    ['line\r\nbreak\rend', 'line\nbreak\nend'],
  ]
  for (const [markdown, text] of texts) t.equal(plainText(markdown), text)
})

t.test('plain words stay what they are', async (t) => {
  const words = fc.array(fc.string({ unit: fc.constantFrom(...'abcé東и12,.;:?()%$'), minLength: 1, maxLength: 8 }), {
    maxLength: 30,
  })
  const property = fc.property(words, (words) => {
    const text = `Text ${words.join(' ')}`
    strictEqual(plainText(text), text.trim())
  })
  t.doesNotThrow(() => fc.assert(property))
})

longTest('whatever Markdown there is, it is read in a moment', async (t) => {
  const units =
    '[ < ![ ` ]( []( [a]( ](< <a <a␣b=" <!-- {{ {% & * _a \\ ⏎ > # | `a [^ ][ ][a ](a␣( ](a␣" <script> <SCRIPT> ```⏎ <!--⏎ <script⏎ [a]:␣b⏎ ␣ -␣ <a: {# 1.␣ <a␣x=\'" ](((((((((((((((((((((((((((((((((('
  const length = 200_000
  const texts = units.split(' ').map((unit) =>
    unit
      .replaceAll('␣', ' ')
      .replaceAll('⏎', '\n')
      .repeat(length / unit.length),
  )
  texts.push(
    `# ${'#'.repeat(length)}x`,
    `-${' '.repeat(length)}x`,
    `[a]: b\n\n${'['.repeat(length)}${']'.repeat(length)}`,
    '- '.repeat(length),
  )
  texts.push(Array.from({ length: 600 }, (_, i) => `${'`'.repeat(i + 1)}a`).join(''), `\`\`\`\n${' '.repeat(length)}\n`)
  for (const text of texts) {
    const before = process.cpuUsage()
    plainText(text)
    const { user, system } = process.cpuUsage(before)
    ok(user + system < 1_500_000, `${JSON.stringify(text.slice(0, 20))}: ${user + system} µs`)
  }
  const piece = fc.constantFrom(...'[]()<>!`*_~{}%#&;:\\"\'=-|/ \n', 'a', '<a ', '<!--', '-->', '```', '\ud800', '[^a]')
  t.doesNotThrow(() =>
    fc.assert(fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => typeof plainText(pieces.join('')) === 'string')),
  )
})

import t from 'tap'
import { keyOf } from '#core/key.ts'
import { type Commented, withoutComments } from '#features/importing/comments.ts'
import type { Source } from '#features/importing/item.ts'
import { exportOf, importInto } from '#support/importing.ts'
import { eachStore } from '#support/stores.ts'

const CASES: readonly (readonly [tool: Commented, text: string, wanted: string])[] = [
  ['hugo', 'a {{< comment >}}x{{< /comment >}} b', 'a  b'],
  ['hugo', 'a\n{{% comment "why" %}}\n# x `y`\n\n```\nz\n```\n{{% / comment %}}\nb', 'a\n\nb'],
  ['hugo', '{{< comments >}}x{{< /comments >}}{{</* comment */>}}', '{{< comments >}}x{{< /comments >}}{{</* comment */>}}'],
  ['hugo', '{{< comment >}}no end', '{{< comment >}}no end'],
  ['hugo', '```\n{{< comment >}}x{{< /comment >}}\n```\n`{{% comment %}}y{{% /comment %}}`', '```\n\n```\n``'],
  ['jekyll', 'a {::comment /}b{:/comment} c', 'a {::comment /}b{:/comment} c'],
  ['jekyll', 'a{::comment}x{:/comment}b\n\n{::comment}\n\n`x`\n\n{:/}\n{::comment /}c', 'ab\n\n\n{::comment /}c'],
  ['jekyll', '`{::comment}` x {:/comment}', '`{::comment}` x {:/comment}'],
  ['eleventy', '# T {#id}\na {# x {{ y }} `z`\n\nw #} b {#x#} {#- x -#}c {{!-- x --}}d', '# T {#id}\na  b  c d'],
  ['eleventy', '`{# x #}` {# y', '`{# x #}` {# y'],
  ['obsidian', 'a %%x%% b\n\n%%\nx\n\ny\n%%\nc `%%`', 'a  b\n\n\nc `%%`'],
]

t.test('a text comes without its comments, and all else is as it was', (t) => {
  for (const [tool, text, wanted] of CASES) t.equal(withoutComments(text, tool), wanted, `${tool}: ${text}`)
  const before = process.cpuUsage()
  for (const [tool, ...parts] of [
    ['hugo', '{{< comment >}}', '{{< comment'],
    ['jekyll', '{::comment}', '{::comment} `'],
    ['eleventy', '{# ', '{#', '{# #}', '{{!--', '{#`'],
    ['obsidian', '%%', '`%%'],
  ] as const)
    for (const part of parts) withoutComments(part.repeat(Math.ceil(300_000 / part.length)), tool)
  t.ok(process.cpuUsage(before).user < 3_000_000, 'in proportion to the text')
  t.end()
})

t.test('what a page did not show is not in the record of it, nor a picture of it', async (t) => {
  const text = (comment: string) => `---\ntitle: T\n---\nSeen. ${comment}\n`
  const exports: readonly (readonly [Source, string, Record<string, string>])[] = [
    ['hugo', 'h', { 'hugo.toml': '', 'content/h/a.md': text('{{< comment >}}Unseen.{{< /comment >}}') }],
    ['jekyll', 'posts', { '_config.yml': 'title: x', '_posts/2020-01-01-a.md': text('{::comment}Unseen.{:/comment}') }],
    ['eleventy', 'e', { 'e/a.md': text('{# Unseen. #}{% # Unseen. %}') }],
    ['markdown', 'm', { '.obsidian/app.json': '{}', 'm/a.md': text('%%Unseen.%%') }],
  ]
  await eachStore(t, {}, async (t, opened) => {
    for (const [source, type, files] of exports) {
      await importInto(opened, source, exportOf(t, files))
      const record = await opened.store.get(keyOf(type, 'a'))
      t.match(record?.body, 'Seen.', source)
      t.notMatch(record?.source?.toString(), 'Unseen', source)
    }
  })
})

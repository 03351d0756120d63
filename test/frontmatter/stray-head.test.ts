import t from 'tap'
import { withBody } from '#frontmatter/body.ts'
import { type FrontMatter, readFrontMatter } from '#frontmatter/read.ts'
import { longTest } from '#support/long.ts'

const MD = { extension: 'md' }
const NOW = Date.parse('2026-11-20T12:00:00Z')

const read = (text: string) => readFrontMatter(Buffer.from(text), MD, NOW)
const lineOf = (text: string) => {
  const found = read(text)
  return 'fault' in found ? found.fault.line : undefined
}

t.test('a second head behind an empty one is no text', async (t) => {
  const head = '---\ntitle: T\ndraft: true\n---\nsecret\n'
  for (const [empty, line] of [
    ['---\n---\n', 3],
    ['---\n---\n\n \n', 5],
    ['---\n{}\n---\n', 4],
    ['---\n# remark\n---\n', 4],
    ['---\n---\n<!-- remark -->\n', 4],
    ['---\n---\n---\n---\n', 5],
    ['---json\n{}\n---\n', 4],
    ['+++\n+++\n', 3],
    ['---\r\n---\r\n', 3],
  ] as const) {
    t.equal(lineOf(empty + head), line, JSON.stringify(empty))
  }
  for (const text of ['draft: true\n', '{"draft": true}\n', '+++\ndraft = true\n+++\n', 'title: T\ndate: 2099-01-01\n']) {
    t.ok(lineOf(`---\n---\n${text}`), text)
    t.ok(lineOf(`---\n---\n\n${text}`), text)
  }
  for (const text of ['---\n\nA text.\n', 'A text: this one.\n', '# Draft: the third\n', 'date: 2020-01-01\n', 'public: true\n'])
    t.equal(lineOf(`---\n---\n\n${text}`), undefined, text)
})

t.test('a second head behind one with keys is no text where it hides', async (t) => {
  t.equal(lineOf('---\ntitle: T\n---\n---\ndraft: true\n---\nsecret\n'), 5)
  t.equal(lineOf('---\ntitle: T\n---\n\n---\nlayout: x\npublished: false\n---\nsecret\n'), 7)
  t.equal(lineOf('---\ntitle: T\n---\ndraft: true\n---\nsecret\n'), 4)
  for (const [text, line] of [
    ['---\n\ndraft: true\n---\n', 6],
    ['---\n---\n\ndraft: true\n---\n', 7],
    ['---\ntitle: b\n\n# remark\ndraft: true\n---\n', 8],
    ['+++\n# remark\n[extra]\na = 1\ndraft = true\n+++\n', 8],
    ['---json\n{\n  "title": "b",\n  "draft": true\n}\n---\n', 7],
    ['---json\n{ "draft": true }\n---\n', 5],
    ['+++\ntitle = "X"\ntags = [\n  "a",\n]\ndraft = true\n+++\n', 9],
    ['---\ndescription: "a text\n  that wraps"\n$schema: x\nstatus: draft\n---\n', 8],
    [
      `---\n${Array.from({ length: 60 }, (_, n) => `- ${n}\n`)
        .join('')
        .replace(/^/, 'tags:\n')}draft:\n  true\n---\n`,
      66,
    ],
    ['---json\n{\n"tags": [\n"a"\n],\n"draft": true\n}\n---\n', 9],
  ] as const)
    t.equal(lineOf(`---\ntitle: T\n---\n${text}`), line, text)
  for (const text of [
    'draft: true\n',
    '---\n\nA text.\n\ndraft: true\n---\n',
    '---\n\n# Heading\n\nText.\n\n---\n',
    '---\nlayout: x\n---\n',
    '---\n\ndraft: true\n',
    '<!-- draft: true -->\n',
    'Private: talks\n---\n',
  ])
    t.equal(lineOf(`---\ntitle: T\n---\n${text}`), undefined, text)
})

t.test('keys without fences are no text where they hide in any tool', async (t) => {
  for (const text of [
    '<!--\n.. title: T\n.. date: 2099-01-01 10:00:00 UTC\n-->\n\nsecret\n',
    '.. title: T\n.. date: 2099-01-01\n\nsecret\n',
    '.. tags: python, draft\n.. slug: x\n\nsecret\n',
    '<!-- status: private -->\nsecret\n',
    'title: T\ndate: 2099-01-01\n---\nsecret\n',
    'date: 2099-01-01\nlayout: post\n---\nsecret\n',
    'title: T\npublishDate: 2099-01-01\n\nsecret\n',
    'expiryDate: 2020-01-01\n\nsecret\n',
    'title: T\nexpires: 2099-01-01\n\nfor a time\n',
    '"title": "T",\n"date": "2099-01-01"\n;;;\nsecret\n',
    '"title": "T", "draft": true\n;;;\nsecret\n',
    'password: x\n\nsecret\n',
    'visibility: members\n\nsecret\n',
    'title: T\nprivate: for now\n\nsecret\n',
    'published = no\n\nsecret\n',
    'Title: T\nStatus:draft\n\nsecret\n',
    'Title: T\nStatus: draft\nsecret text\n',
    '  Title:T\n  Status:hidden\nsecret text\n',
    'tags: [a]\nlisted: yes\nunlisted: true # for now\n',
  ])
    t.ok(lineOf(text), text)
})

t.test('fences of other tools hide what they say is a draft', async (t) => {
  for (const open of ['###', '===', '!!!', '***', '___', '- - -', '~~~', '```', '```yaml', '{{{']) {
    const close = open === '{{{' ? '}}}' : open.slice(0, 3)
    t.equal(lineOf(`${open}\ntitle: T\ndraft: true\n${close}\n\nsecret\n`), 3, open)
    t.equal(lineOf(`${open}\n\ndraft: true\n${close}\nsecret\n`), 3, open)
    t.equal(lineOf(`${open}\n"title": "T",\n"draft": true\n${close}\n\nsecret\n`), 3, open)
    t.equal(lineOf(`---\ntitle: T\n---\n\n${open}\ndraft: true\n${close}\n`), undefined, open)
    t.equal(lineOf(`${open}\nA text: this one.\n${close}\n\nText\n`), undefined, open)
    t.equal(lineOf(`${open}\ntitle: T\nstatus: published\n${close}\n\nText\n`), undefined, open)
  }
  t.equal(lineOf('```toml\r\ndraft = true\r\n```\r\nsecret\r\n'), 2)
  for (const text of [
    '{{{ "draft": true }}}\nsecret\n',
    '{ draft: true }\n\nsecret\n',
    '[meta]\ndraft = true\n\nsecret\n',
    '#+title: T\n#+draft: true\n\nsecret\n',
    '#+HUGO_DRAFT: true\n\nsecret\n',
    ':PROPERTIES:\n:EXPORT_HUGO_DRAFT: true\n:END:\n\nsecret\n',
    ':status: draft\n\nsecret\n',
    'draft:: true\n\nsecret\n',
  ])
    t.ok(lineOf(text), text)
})

t.test('front matter that hides is none below something else, and no text', async (t) => {
  const head = '---\ntitle: T\ndraft: true\n---\nsecret\n'
  for (const first of ['# T\n', '# T\n\n', 'T\n', '// remark\n', '#!/bin/x\n', '{/* remark */}\n', '[//]: # (remark)\n\n'])
    for (const text of [head, head.replaceAll('\n', '\r\n'), '+++\ndraft = true\n+++\n'])
      t.equal(lineOf(first + text), first.split('\n').length, first + text)
  for (const text of [
    `\`\`\`\n${head}\`\`\`\n`,
    `How:\n\n~~~yaml\n${head}~~~\n`,
    '# T\n\n---\n\nText\n\n---\n',
    '# T\n\n---\nPrivate: talks\n---\n',
  ])
    t.equal(lineOf(`Text.\n\n${text}`), undefined, text)
})

t.test('a text may begin as keys do', async (t) => {
  for (const text of [
    'Date: 2099-01-01\nPlace: Berlin\n\nCome along.\n',
    'Draft: the third one\n\nText.\n',
    'Draft: 3\nText\n',
    'Private: Talks\n---\n\nText.\n',
    'Secret: the sauce.\nText\n',
    'Password: something one knows.\n',
    'Valid until: 2099-01-01\n\nA coupon.\n',
    'Title: T\nDate: 2020-01-01\nStatus: published\n\nText\n',
    '.. title: T\n.. date: 2020-01-01\n.. tags: drafting\n\nText\n',
    'https://example.org\n\nText\n',
    'We said: no\nstatus: draft of nothing\n',
    '# Status\nStatus: draft of a law\n',
    ':secret: The plan.\n\nText\n',
  ])
    t.equal(lineOf(text), undefined, text)
})

t.test('a line that is nothing but a word for a draft is no text near the beginning', async (t) => {
  const lines = [
    ...['<!-- draft -->', '<!-- draft: true -->', '<!-- do not publish -->', '[//]: # (draft)', '[comment]: <> (draft: true)'],
    ...['% draft', '%% draft %%', '// draft', '/* draft: true */', '{/* draft */}', '{# draft #}', '{{!-- draft --}}'],
    ...['{% comment %} draft {% endcomment %}', '{% set draft = true %}', '; draft = true', '.. draft: true', '#+draft: t'],
    ...[
      '### draft: true',
      '# Draft: true',
      '**Status:** draft',
      '**Status**: Draft',
      '*Status: draft*',
      '> Status: \u{1f6a7} Draft',
    ],
    ...['- Status: `draft`', '<p><b>Status:</b> draft</p>', '| draft | true |', 'Draft: yes', 'published = false', 'WIP: true'],
    ...['export const draft = true', 'export const published = false;', 'export const metadata = { draft: true }'],
    ...['export const meta: Meta = { title: "a, b", draft: true };', 'export default { draft: true }', '{ "draft": true }'],
    ...[':draft:', ':draft: true', ':page-draft: true', ':!published:', ':page-published: false', ':params.draft: yes'],
    ...['<meta name="draft" content="true">', '<meta content="no" property="published" />', '#draft #idea', 'Tags: a, draft'],
    ...['Visibility: private', 'is_draft: yes', 'unlisted: true', 'Publish date: 2099-01-01', 'Embargoed until: 2099-01-01'],
  ]
  for (const line of lines) {
    t.ok(lineOf(`${line}\n\nsecret\n`), line)
    t.equal(lineOf(`# T\n\n${line}\n\nsecret\n`), 3, line)
    t.equal(lineOf(`\ufeff# \u00dc\r\n\r\n${line}\r\n\r\nsecret\r\n`), 3, line)
    t.equal(lineOf(`---\n---\n\n# T\r\rText.\r${line}`), 7, line)
    t.equal(lineOf(`---\ntitle: T\n---\n\n# T\n\n${line}\n`), undefined, line)
    t.equal(lineOf(`---\n# What follows is text.\n---\n\n# T\n\n${line}\n`), undefined, line)
    for (const code of [
      `\`\`\`\n${line}\n\`\`\`\n`,
      `~~~~ x\n~~~\n${line}\n~~~~\n`,
      `    ${line}\n`,
      `\t${line}\n`,
      `\`${line}\`\n`,
    ])
      t.equal(lineOf(`# T\n\n${code}\nText\n`), undefined, code)
    for (const [begin, end] of [
      ['<pre>', '</pre>'],
      ['{{< code-toggle fm=true >}}', '{{< /code-toggle >}}'],
      ['{% highlight yaml %}', '{% endhighlight %}'],
    ] as const)
      t.equal(lineOf(`# T\n\n${begin}\n${line}\n${end}\n\nText\n`), undefined, begin)
    t.equal(lineOf(`${'Text.\n\n'.repeat(20)}${line}\n`), undefined, line)
    t.equal(lineOf(`${'x'.repeat(2040)}\n\n${line} of a kind\n`), undefined, line)
  }
  t.equal(lineOf('import X from "x"\n\nexport const metadata = {\n    title: "T",\n    draft: true,\n}\n\nsecret\n'), 5)
  t.equal(lineOf('# T\n\n<pre>x</pre>\n\n<!-- draft -->\n'), 5)
  t.equal(lineOf('# T\n\n<!--\n\n    draft\n-->\n\nsecret\n'), 5)
  const found = read('# T\n\n**Status:** draft\n\nsecret\n')
  t.match(found, { fault: { line: 3, column: 1, message: /"\*\*Status:\*\* draft" stands outside/, hint: /draft: true/ } })
})

t.test('a sentence with a word for a draft is a text', async (t) => {
  for (const line of [
    ...['Draft', '# Draft', '**DRAFT**', 'Draft: the third one', '# Private: talks', '- [ ] Publish', '1. Draft'],
    ...['We like draft: true stories.', 'Set `draft: true` to hide it.', '- `draft`: true', 'The {draft: true} option hides it.'],
    ...['Use this: {draft: true}', 'Status: draft of a law', 'Status: accepted', '**Status:** archived', '| A plan | draft |'],
    ...['**Published:** 2020-01-01', 'Published: true', 'draft: false', '<!-- draft: false -->', ':draft: no', 'Tags: drafting'],
    ...[
      'export const draft = false',
      '<!-- private: a key -->',
      '#draft-horses in town',
      '{{< x draft=true >}}',
      'Public: no one',
    ],
    ...['<meta name="robots" content="noindex">', 'Date: 2099-01-01', 'Expires: 2020-01-01', 'Embargo: 2020-01-01'],
  ])
    t.equal(lineOf(`# T\n\n${line}\n`), undefined, line)
})

t.test('a text that begins as front matter does is written so that it stays text', async (t) => {
  const files = [
    'Old\n',
    '---\n---\nOld\n',
    '---\n# mine\n---\n\nOld\n',
    '---\ntitle: T\n---\nOld\n',
    '+++\r\ntitle = "T"\r\n+++\r\nOld',
    '',
  ]
  const bodies = [
    'draft: true\n',
    '# T\n\n**Status:** draft\n',
    '```\ndraft: true\n```\n',
    '# T\n\n---\ndraft: true\n---\n',
    '---\ndraft: true\n---\nx\n',
    '\n---\ntitle: x\ndraft: true\n---\n',
    'Hello\n',
  ]
  for (const file of files)
    for (const body of bodies) {
      const bytes = Buffer.from(file)
      const before = readFrontMatter(bytes, MD, NOW) as FrontMatter
      const made = withBody(bytes, before, MD, body)
      const again = readFrontMatter(made, MD, NOW)
      if ('fault' in again) {
        t.fail(`${JSON.stringify(made.toString())}: ${again.fault.message}`)
        continue
      }
      t.strictSame(again.data, before.data)
      t.equal(made.subarray(again.parts.bodyStart).toString().replaceAll('\r\n', '\n'), body, JSON.stringify(made.toString()))
      if (body === 'Hello\n') t.notMatch(made.toString(), 'What follows')
      const back = withBody(made, again, MD, 'Plain\n')
      t.notOk('fault' in readFrontMatter(back, MD, NOW))
    }
})

t.test('looking for stray keys takes time in proportion to the text', async (t) => {
  const texts = [
    'a: b\n',
    '<!-- a -->\n',
    '---\n---\n',
    '\n',
    '"a": 1,',
    '.. a: b\n',
    'draft:',
    '---\na: b\n',
    '- - -\n',
    '-',
    'draft {',
    '*:',
  ].map((part) => part.repeat(1_000_000 / part.length))
  const started = process.cpuUsage()
  for (const text of texts) for (const head of ['', '---\n---\n', '---\na: b\n---\n']) read(head + text)
  t.ok(process.cpuUsage(started).user < 3_000_000)
})

longTest('a second head of thousands of keys takes hardly longer than a first one', async (t) => {
  const keys = Array.from({ length: 1400 }, (_, n) => `k${n}: 1`).join(', ')
  const head = `---\n{${keys}}\n---\nText.\n`
  const texts = [head, `---\ntitle: T\n---\n${head}`]
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  // In turn, so that other work on the machine is in both.
  for (let round = 0; round < 15; round++)
    for (const [n, text] of texts.entries()) {
      const begun = process.cpuUsage()
      read(text)
      const { user, system } = process.cpuUsage(begun)
      least[n] = Math.min(least[n] ?? 0, (user + system) / 1000)
    }
  const [first = 0, second = 0] = least
  t.ok(second < 2 * first, `${first.toFixed(1)} and ${second.toFixed(1)} ms`)
})

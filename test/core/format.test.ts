import { deepStrictEqual } from 'node:assert'
import t from 'tap'
import { readDocument, readHead, withHead } from '#core/format/read.ts'
import { versionOf } from '#core/format/version.ts'
import { keyOf } from '#core/key.ts'
import { termId } from '#core/terms/terms.ts'
import { hasNoPage, isUnlisted } from '#frontmatter/other-tools.ts'
import { key, md, shape } from './shape.ts'

const yaml = { extension: 'yaml' }
const read = (text: string | Buffer, form = md, its = shape) =>
  readDocument(key, its, Buffer.from(text), form, 'content/posts/x.md')
const fields = (head: string) => read(`---\n${head}\n---\n`).fields
const place = (text: string | Buffer, form = md) => {
  const { problem, fields: none, body } = read(text, form)
  deepStrictEqual([none, body], [{}, ''])
  return [problem?.severity, problem?.line, problem?.column]
}

t.test('front matter is read in three languages, in data files, or not at all', async (t) => {
  const derived = { slug: 'hello-world', status: 'published' }
  t.strictSame(read('---\ntitle: One\nn: [1, x]\n---\n\nBody\n').fields, { title: 'One', n: [1, 'x'], ...derived })
  t.strictSame(read('+++\ntitle = "One"\nn = [1, "x"]\n[a]\nb = 2024-01-02\n+++\nBody').fields, {
    title: 'One',
    n: [1, 'x'],
    a: { b: '2024-01-02' },
    ...derived,
  })
  t.strictSame(read('---json\n{"title": "One", "n": {"a": null}}\n---\nBody').fields, {
    title: 'One',
    n: { a: null },
    ...derived,
  })
  t.match(read('title: One\nbody: |\n  Two\n  lines\n', yaml), { fields: { title: 'One' }, body: 'Two\nlines\n' })
  t.notOk(Object.hasOwn(read('body: x\n', yaml).fields, 'body'), 'the body is no field')
  t.match(read('just text'), { fields: { title: 'Hello world', ...derived }, body: 'just text' })
  t.match(read('----\ntext'), { body: '----\ntext' }, 'a rule is no front matter')
  t.match(read('---\ntitle: One\n---'), { fields: { title: 'One' }, body: '' })
  t.match(read('---\n---\nText'), { fields: derived, body: 'Text' })
})

t.test('line ends and a byte order mark are the file’s own business', async (t) => {
  for (const eol of ['\n', '\r\n', '\r']) {
    const text = ['---', 'title: One', 'list:', '  - a', 'text: |', '  b', '---', '', 'Two', 'lines', ''].join(eol)
    for (const bom of ['', '\ufeff']) {
      const { fields, body, problem } = read(bom + text)
      t.strictSame(
        { title: fields.title, list: fields.list, text: fields.text, body, problem },
        { title: 'One', list: ['a'], text: 'b\n', body: 'Two\nlines\n', problem: undefined },
      )
    }
  }
})

t.test('any other opening word is refused and never run', async (t) => {
  for (const word of ['js', 'javascript', 'JS', ' js', 'coffee', 'cson', 'json5', ' json', 'yaml', 'toml', ' # x']) {
    const text = `---${word}\nmodule.exports = { title: (globalThis.ran = 'yes') }\n---\nBody`
    t.strictSame(place(text), ['error', 1, 1], word)
  }
  t.strictSame(place('+++js\n+++\n'), ['error', 1, 1])
  t.notOk(Reflect.has(globalThis, 'ran'))
})

t.test('what is read twice is read the same: nothing is cached, nothing is shared', async (t) => {
  const good = '---\ntitle: One\nlist: &l [a, {b: c}]\nagain: *l\n---\n'
  const first = read(good).fields
  ;(first.list as unknown[]).push('changed by a reader')
  t.strictSame(read(good).fields.list, ['a', { b: 'c' }])
  const bad = '---\ntitle: [\n---\n'
  t.strictSame(place(bad), place(bad))
  t.equal(place(bad)[0], 'error')
})

t.test('a line that only begins with the fence never cuts front matter in two', async (t) => {
  t.strictSame(place('---\na: {b: c}\ntext: "x\n---y"\nstatus: draft\n---\nBody').slice(0, 2), ['error', 4])
  t.strictSame(place("+++\na = '''\n+++y'''\nstatus = 'draft'\n+++\nBody").slice(0, 2), ['error', 3])
  for (const first of ['--- # remark', '--- !!map', '--- &all', '---\u00a0', '# remark\n---\u00a0', '--- {draft: true}\n#'])
    t.equal(place(`---\n${first}\ndraft: true\n---\nBody`)[0], 'error', first)
  t.equal(place('+++\n# remark\n+++ x\ndraft = true\n+++\nBody')[0], 'error')
})

t.test('front matter that stands where it is not read is never a text', async (t) => {
  const draft = 'title: x\ndraft: true\n'
  const fenced = `---\n${draft}---\nBody\n`
  const first = {
    '\n': 2,
    '\r\n\r\n': 3,
    '\r': 2,
    ' ': 1,
    '\t': 1,
    '\n \n': 3,
    '\ufeff\n': 2,
    '\ufeff\ufeff': 1,
    '\u200b': 1,
    '\u00a0\n': 2,
    '\f\n': 2,
  }
  for (const [before, line] of Object.entries(first)) {
    t.strictSame(place(before + fenced).slice(0, 2), ['error', line], JSON.stringify(before))
    t.strictSame(place(`${before}+++\ndraft = true\n+++\n`).slice(0, 2), ['error', line], `TOML ${JSON.stringify(before)}`)
    t.strictSame(place(`${before}---json\n{"draft": true}\n---\n`).slice(0, 2), ['error', line], `JSON ${JSON.stringify(before)}`)
  }
  t.strictSame(place(`<!-- by\nme -->\n<!-- x -->${fenced}`), ['error', 3, 11], 'behind comments')
  t.strictSame(place(`<!-- x -->\n\n${fenced}`), ['error', 3, 1])
  for (const fence of ['----', '--', '\u2014', '\u2014-', '\u2013\u2013', '++++', ';;;', '------ ']) {
    t.strictSame(place(`${fence}\n# a remark\n${draft}${fence}\nBody`), ['error', 1, 1], fence)
  }
  t.strictSame(place('{\n  "draft": true\n}\n\nBody').slice(0, 2), ['error', 1], 'JSON as Hugo has it')
  t.strictSame(place('{ "draft": true }\nBody').slice(0, 2), ['error', 1])
  t.strictSame(place(`${draft}---\nBody`), ['error', 2, 1], 'without the line that opens it')
  t.strictSame(place('Title: x\nDate: 2020-01-01\nStatus: draft\n\nBody'), ['error', 3, 1], 'as Pelican has it')
  t.strictSame(place('Title: x\nTags:\n  - a\nPublished: no\n\nBody'), ['error', 4, 1])
  t.strictSame(place('"title": "x",\n"published": false\n;;;\nBody'), ['error', 2, 1], 'JSON as Hexo has it')
  t.strictSame(place('<!--\n.. title: x\n.. status: draft\n-->\n\nBody'), ['error', 3, 1], 'as Nikola has it')
  t.strictSame(place('.. title: x\n.. status: private\n\nBody'), ['error', 2, 1], 'as Nikola has it, without a comment')
  t.strictSame(place(Buffer.from(`\ufeff${fenced}`, 'utf16le'))[0], 'error', 'UTF-16')
  t.strictSame(place(Buffer.from(fenced, 'utf16le'))[0], 'error', 'UTF-16 without its mark')
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n'
  t.match(read(pointer).problem, { severity: 'error', message: /Git LFS/ })
  for (const text of [
    `---\n${draft} ---\nBody\n`,
    `---\n${draft}----\nBody\n`,
    `---\n${draft}...\nBody\n`,
    `---\u00a0\n${draft}---\n`,
  ]) {
    t.strictSame(place(text)[0], 'error', JSON.stringify(text))
  }
  t.equal(read('--- \t\r\ndraft: true\r\n---\t \r\nBody').fields.status, 'draft', 'spaces after the fence')
  t.equal(read('---\rdraft: true\r---\rBody').fields.status, 'draft', 'lines that end with CR')
})

t.test('a merge that is not resolved is named as one, and neither side’s front matter is a text', async (t) => {
  const sides = (ours: string, theirs: string) => `<<<<<<< HEAD\n${ours}=======\n${theirs}>>>>>>> topic\n`
  const both = sides('title: A\n', 'title: B\n')
  const added = sides('---\ntitle: A\ndraft: true\n---\nOurs\n', '---\ntitle: B\n---\nTheirs\n')
  const files: [string, number, { extension: string }][] = [
    [added, 1, md],
    [`\ufeff${added.replaceAll('\n', '\r\n')}`, 1, md],
    [`---\ndraft: true\n${both}---\nBody\n`, 3, md],
    [`---\r\n${both.replaceAll('\n', '\r\n')}---\r\nBody\r\n`, 2, md],
    [`+++\n${sides('title = "A"\n', 'title = "B"\n')}+++\nBody\n`, 2, md],
    [`---json\n{\n${sides('"title": "A"\n', '"title": "B"\n')}}\n---\nBody\n`, 3, md],
    [both, 1, yaml],
    [`---\ntitle: A\n---\n\nBefore\n${sides('Ours ü\n', 'Theirs\n')}After\n`, 6, md],
    [`---\r\ntitle: A\r\n---\r\nBefore\r\n\r\n${both.replaceAll('\n', '\r\n')}`, 6, md],
    [`Ä\r\r${both.replaceAll('\n', '\r')}`, 3, md],
    [`# One\n\n\`\`\`\nx\n\`\`\`\n${both}`, 6, md],
    [`---\n---\n${sides('```js\na()\n', '```js\nb()\n')}\`\`\`\n`, 3, md],
    [`---\n---\n<<<<<<< HEAD\nOurs\n||||||| 1a2b3c\nBase\n=======\n>>>>>>> topic\n`, 3, md],
  ]
  for (const [text, line, form] of files) {
    t.strictSame(place(text, form), ['error', line, 1], JSON.stringify(text))
    t.match(read(text, form).problem, { message: 'A conflict of git is not resolved here.', hint: /remove the lines/ })
  }
})

t.test('a text that only looks alike stays one', async (t) => {
  const texts = [
    '# One\n---\nNote: x\n---\n',
    '\n# One\n\n---\n\nDraft: true stories\n',
    '----\n\nA text under a rule.\n',
    '-- said nobody\n',
    '<<<<<<<< eight\n',
    '    <<<<<<< HEAD\n    a\n',
    'What git writes:\n\n<<<<<<< HEAD\n',
    'What git writes:\n\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n```\n',
    'Longer:\n\n~~~~ text\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n```\n~~~~\n',
    'Begun:\n\n<<<<<<< HEAD\n\n```\n<<<<<<< HEAD\n=======\n>>>>>>> topic\n```\n',
    'Indented:\n\n    <<<<<<< HEAD\n    =======\n    >>>>>>> topic\n',
    'A heading\n=======\n\n<<<<<<< HEAD\n\n>>>>>>> quoted\n',
    'Parts\n\n>>>>>>> a\n=======\n<<<<<<< b\n',
    '<<<<<<<< a\n========\n>>>>>>>> b\n',
    '{% include "x" %}\n',
    '{{< figure src="x" >}}\n',
    '{: .note}\nText\n',
    'Note: this is a text\nthat goes on.\n',
    'Status: accepted\n\nText\n',
    'Draft: this is what I think\n',
    '<!-- x -->\n---\n\nText\n',
    '<!-- never closed\n---\ndraft: true stories\n',
    '```yaml\n---\ndraft: true\n---\n```\n',
    'Published: 2020\nBy: Ada\n\nText',
    '- a\n- b\n',
    '',
    '\n\n',
  ]
  for (const text of texts) t.strictSame([read(text).problem, read(text).body], [undefined, text], JSON.stringify(text))
})

t.test('what can’t be read says where', async (t) => {
  t.strictSame(place('---\ntitle: x\n'), ['error', 1, 1], 'not ended')
  t.strictSame(place('---\na: 1\n  b: 2\n---\n').slice(0, 2), ['error', 2], 'indentation')
  t.strictSame(place('\ufeff---\r\na: 1\r\na: 2\r\n---\r\n'), ['error', 3, 1], 'a key twice')
  t.strictSame(place('---\na: 1\nb:\n  c: 1\n  c: 2\n---\n'), ['error', 5, 3], 'an inner key twice')
  t.strictSame(place('---\na: !!js/function x\n---\n').slice(0, 2), ['error', 2], 'a tag')
  t.strictSame(place('---\na: !thing x\n---\n').slice(0, 2), ['error', 2], 'a tag')
  t.strictSame(place('---\na: !!binary aGk=\n---\n').slice(0, 2), ['error', 2], 'a tag of YAML 1.1')
  t.strictSame(place('---\na: 1\nb: *none\n---\n'), ['error', 3, 4], 'an alias to nothing')
  t.strictSame(place('---\na: &x 1\n<<: *x\n---\n').slice(0, 2), ['error', 3], 'a merge of no mapping')
  t.strictSame(place('---\n- a\n---\n'), ['error', 2, 1], 'a list')
  t.strictSame(place('---\njust words\n---\n'), ['error', 2, 1], 'a text')
  t.strictSame(place('a: 1\n---\nb: 1\n', yaml).slice(0, 1), ['error'], 'two documents')
  t.strictSame(place('+++\na = 1\nb = \n+++\n').slice(0, 2), ['error', 3])
  t.strictSame(place('+++\na = 1\na = 2\n+++\n').slice(0, 2), ['error', 3])
  t.strictSame(place('---json\n{"a": 1,\n "b": 2,}\n---\n'), ['error', 3, 9])
  t.strictSame(place('---json\n{"a": 1,\n "a": 2}\n---\n'), ['error', 3, 2])
  t.strictSame(place('---json\n[1]\n---\n'), ['error', 2, 1])
  t.strictSame(place(Buffer.from('---\ntitle: caf\xe9\n---\n', 'latin1')), ['error', 2, 11], 'not UTF-8')
  t.strictSame(place('---\nt: x\n---\nab\0c'), ['error', 4, 3], 'NUL')
  t.strictSame(place(Buffer.alloc(2 * 1024 * 1024 + 1, 'a')), ['error', 1, 1], 'too large')
  t.notOk(read(Buffer.alloc(2 * 1024 * 1024, 'a')).problem, 'at the limit')
  t.match(read('---\na: [\n---\n').problem, { file: 'content/posts/x.md', message: /./, hint: /./ })
})

t.test('keys that reach into JavaScript are refused', async (t) => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    t.strictSame(place(`---\na: 1\n${name}: 2\n---\n`), ['error', 3, 1], `yaml ${name}`)
    t.strictSame(place(`---\na: { ${name}: 2 }\n---\n`), ['error', 2, 6], `yaml ${name} inside`)
    t.strictSame(place(`+++\na = 1\n${name} = 2\n+++\n`).slice(0, 2), ['error', 3], `toml ${name}`)
    t.strictSame(place(`---json\n{"a": {"${name}": 2}}\n---\n`), ['error', 2, 8], `json ${name}`)
  }
  t.notOk(Reflect.has({}, 'polluted'))
})

t.test('nesting and aliases that would end the process are refused', async (t) => {
  const deep = [
    `a: ${'['.repeat(900)}`,
    `a:\n  ${'- '.repeat(900)}x`,
    `a: ${'{b: '.repeat(900)}`,
    `a: ${'['.repeat(900)}${']'.repeat(900)}`,
    `? ${'? '.repeat(900)}x`,
    Array.from({ length: 900 }, (_, i) => `${' '.repeat(i)}k:`).join('\n'),
    Array.from({ length: 450 }, (_, i) => `${' '.repeat(i)}k:\n${' '.repeat(i)}-`).join('\n'),
  ]
  // Where it is refused tells that it was refused before the parser went down that far: what happens there can't be caught.
  const refused = deep.map((text) => read(`---\n${text}\n---\n`).problem)
  t.strictSame(
    refused.map((problem) => [problem?.line, problem?.column]),
    [
      [2, 67],
      [3, 129],
      [2, 256],
      [2, 67],
      [2, 129],
      [66, 65],
      [130, 65],
    ],
  )
  for (const problem of refused) t.match(problem?.message, /more than 64 levels/)
  t.strictSame(place(`+++\na = ${'['.repeat(900)}${']'.repeat(900)}\n+++\n`), ['error', 2, 69])
  t.equal(place(`+++\n[${'a.'.repeat(900)}a]\n+++\n`)[0], 'error')
  t.equal(place(`---json\n{"a": ${'['.repeat(900)}${']'.repeat(900)}}\n---\n`)[0], 'error')
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...'bcdefgh'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`)}]`),
  ]
  t.equal(place(`---\n${bomb.join('\n')}\n---\n`)[0], 'error')
  t.equal(place('---\na: &a [*a]\n---\n')[0], 'error', 'a list in itself')
  t.notOk(read(`---\na: ${'['.repeat(50)}${']'.repeat(50)}\n---\n`).problem, '50 levels are allowed')
  const drawing = `text: |\n${`  ${'['.repeat(40)}\n`.repeat(30)}  ${'- '.repeat(80)}\n`
  t.notOk(read(`---\n${drawing}---\n`).problem, 'a text may hold what looks deep')
})

t.test('names of other tools are understood', async (t) => {
  t.match(fields('date: 2024-01-02\nlastmod: 2024-02-03 04:05:06 +0200\ncategory: Big News\ntag: [One, two, one]'), {
    published_at: '2024-01-02T00:00:00.000Z',
    categories: ['big-news'],
    tags: ['one', 'two'],
  })
  const { updatedAt, createdAt, fields: rest } = read('---\nupdated: 2024-02-03 04:05:06 +0200\ncreated_at: 2024-01-01\n---\n')
  t.strictSame(
    [updatedAt, createdAt, rest.updated_at, rest.created_at],
    ['2024-02-03T02:05:06.000Z', '2024-01-01T00:00:00.000Z', undefined, undefined],
  )
  t.equal(fields('draft: true').status, 'draft')
  t.equal(fields('draft: yes').status, 'draft', 'as YAML 1.1 had it')
  t.equal(fields('draft: false').status, 'published')
  t.equal(fields('draft: false\nstatus: archived').status, 'archived', 'status wins')
  t.notOk('draft' in fields('draft: true'))
  t.strictSame(fields('aliases: /old').aliases, ['/old'])
  t.equal(fields('headline: short').summary, 'short', 'the type’s own map')
  t.equal(fields('date: 2024-01-01\npublished_at: 2025-01-01').published_at, '2025-01-01T00:00:00.000Z', 'Quire’s own name first')
  t.strictSame(fields('category: C, D').categories, ['c', 'd'], 'commas part the terms of one text')
  t.strictSame(fields('category: ["C, D", e]').categories, ['c-d', 'e'], 'and not those of a list')
  t.strictSame(fields('redirect_from: /old').aliases, ['/old'])
  t.strictSame(fields('redirect_from: [/old, /older]\naliases: /new').aliases, ['/new'])
  t.equal(fields('url: /here').permalink, '/here')
  t.strictSame(fields('path: /here'), { permalink: '/here', title: 'Hello world', slug: 'hello-world', status: 'published' })
  t.match(fields('path: here/and/there\nurl: https://example.org'), {
    path: 'here/and/there',
    own: { url: 'https://example.org' },
  })
  t.notOk('permalink' in fields('path: here\nurl: https://example.org'))
  for (const head of ['date: 2020/12/21', 'date: 2020-12-21', 'Date: 2020/12/21 00:00', 'date: 2020-12-21T0:00Z']) {
    t.equal(fields(head).published_at, '2020-12-21T00:00:00.000Z', head)
  }
  t.equal(fields('date: 2020-1-5').published_at, '2020-01-05T00:00:00.000Z')
  const known = {
    ...shape,
    statuses: new Map(['draft', 'published'].map((name) => [name, { name, live: name !== 'draft', to: [] }])),
  }
  t.match(read('---\ndraft: yes\ndate: soon\n---\n', md, known), {
    fields: { published_at: null, status: 'draft' },
    problem: { severity: 'warning', line: 3 },
  })
  for (const head of [
    'date: 2099-02-30',
    'published_at: 30.11.2026',
    'status: published\ndate: 1400000000',
    'title: [x]\ndate: soon',
  ]) {
    t.match(read(`---\n${head}\n---\n`, md, known), { problem: { severity: 'error' } }, `${head}: it may be to come`)
  }
  for (const key of ['draft\u00a0', 'dr\u00adaft', '\u200bDraft'])
    t.equal(fields(`${key}: true`).status, 'draft', JSON.stringify(key))
  const data = read('date: 2024-01-02\ndraft: true\ntitle: 5\n', yaml, { ...shape, record: false })
  t.strictSame(data.fields, { date: '2024-01-02', draft: true, title: 5 }, 'plain data is left alone')
})

t.test('what says draft is one, in whatever words', async (t) => {
  const drafts = [
    ...['true', 'yes', 'on', 'y', '1', 'TRUE', "'true'", '"Yes"', '" true "', 'maybe', '[false]', '{}', '2', '2030-01-01'].map(
      (word) => `draft: ${word}`,
    ),
    ...['false', 'no', 'off', '0', "'false'", '"No"', 'draft', 'Unpublished', "' hidden '"].flatMap((word) => [
      `published: ${word}`,
      `publish: ${word}`,
    ]),
    ...[
      'Draft: true',
      'DRAFT: true',
      'Published: false',
      'draft: true\npublished: true',
      'draft: false\npublished: false',
      'status:\ndraft: true',
    ],
    ...['status: draft', 'Status: draft', 'status: Draft'],
  ]
  const statuses = new Map(['draft', 'published'].map((name) => [name, { name, live: name === 'published', to: [] }]))
  for (const head of drafts) t.equal(read(`---\n${head}\n---\n`, md, { ...shape, statuses }).fields.status, 'draft', head)
  for (const head of [
    'draft: false',
    'draft: 0',
    'draft: no',
    'draft:',
    "draft: ''",
    'published: true',
    'publish: 1',
    'published: Nature',
    'publish:',
  ]) {
    t.equal(fields(head).status, 'published', head)
  }
  t.match(read('---\nx: 1\ndraft: maybe\n---\n').problem, { severity: 'warning', line: 3, message: /taken for a draft/ })
  t.notOk('published' in fields('published: false'))
  t.equal(fields('published: Nature').published, 'Nature', 'a text is a field of its own')
  t.equal(fields('status: published\npublished: false\ndraft: true').status, 'published', 'status wins')
  t.equal(read('---\nStatus: PUBLISHED\n---\n', md, { ...shape, statuses }).fields.status, 'published')
  t.equal(read('---\nstatus: scheduled\n---\n', md, { ...shape, statuses }).fields.status, 'scheduled', 'which is no live one')
  const claimed = { ...shape, claimed: ['published', 'publishDate'] }
  t.match(read('---\npublished: false\npublishDate: 2030-01-01\n---\n', md, claimed).fields, {
    status: 'draft',
    published: false,
    publishDate: '2030-01-01',
    published_at: '2030-01-01T00:00:00.000Z',
  })
  const held = { ...claimed, defaultStatus: 'draft' }
  t.equal(read('---\npublished: true\n---\n', md, held).fields.status, 'draft', 'a field of the type’s own publishes nothing')
  const mapped = { ...shape, defaultStatus: 'draft', map: { publish: 'printed' } }
  t.match(read('---\npublish: true\n---\n', md, mapped).fields, { status: 'draft', printed: true })
})

t.test('the latest beginning and the earliest end count', async (t) => {
  const times = (head: string) =>
    [fields(head).published_at, fields(head).expires_at].map((time) => time && String(time).slice(0, 10))
  t.strictSame(times('date: 2020-01-01\npublishDate: 2030-01-01'), ['2030-01-01', undefined])
  t.strictSame(times('publishdate: 2010-01-01\ndate: 2020-01-01'), ['2020-01-01', undefined], 'an earlier one does not')
  t.strictSame(times('published_at: 2020-01-01\nPublishDate: 2030-01-01'), ['2030-01-01', undefined])
  t.strictSame(times('pubDate: 2020-01-01'), ['2020-01-01', undefined])
  t.strictSame(times('published: 2030-01-01'), ['2030-01-01', undefined])
  t.strictSame(times('expiryDate: 2020-01-01'), [undefined, '2020-01-01'])
  t.strictSame(times('expires_at: 2030-01-01\nunpublishDate: 2020-01-01'), [undefined, '2020-01-01'])
  t.strictSame(times('expiryDate:\npublishDate: ""'), [undefined, null])
  const mapped = { ...shape, map: { when: 'published_at', ends: 'expires_at', place: 'location', Date: 'event_date' } }
  const named = read('---\nWhen: 2030-01-01\nENDS: 2031-01-01\nPlace: Rome\ndate: 2020-01-01\n---\n', md, mapped).fields
  t.match(named, { published_at: /^2030/, expires_at: /^2031/, Place: 'Rome' }, 'in any letters, as far as it may hide')
  t.match(read('---\nDate: 2030-01-01\ndate: 2029-01-01\n---\n', md, mapped).fields, {
    published_at: /^2029/,
    event_date: '2030-01-01',
  })
  for (const head of [
    'expiryDate: soon',
    'expires_at: 31.12.2020',
    'publishDate: soon',
    'a: 1\nexpires_at: 2020-01-01\nunpublishDate: 5',
  ]) {
    t.strictSame(place(`---\nx: 1\n${head}\n---\nBody`)[0], 'error', head)
  }
  t.strictSame(place('---\nx: 1\nexpiryDate: soon\n---\nBody'), ['error', 3, 1])
})

t.test('a beginning that can’t be read keeps the file from the public, whichever key says it', async (t) => {
  const forms = [
    ...['2099-01-01 10:00am', '2099-01-01 10:00:00 +0000 UTC', '2099-01-01 at noon', '2099-01-01T10', '"2099-01-01, 10:00"'],
    ...['2099-01-01 10:00:00 Europe/Berlin', '2099-02-30', '2099-01-01 or later', '2099-01-01 10:00:00 (planned)'],
    ...['Jan 1, 2099', '2 Janvier 2099', '2099年1月1日', '٢٠٩٩-٠١-٠١', '01.01.2099', '1/2/99', '2099-001', '2099', '20990101'],
    ...['12099-01-01', '4070908800', '4070908800000', '[2020-01-01, 2099-01-01]', '{start: 2099-01-01}', 'next week', 'TBD'],
  ]
  const others = ['', 'date: 2020-01-01\n', 'published_at: 2020-01-01\n']
  const problem = (head: string, of = shape) => read(`---\ntitle: T\n${head}\n---\nBody`, md, of).problem
  const claimed = {
    ...{ ...shape, claimed: ['pubDate', 'published'], instants: { pubDate: true as const } },
    statuses: new Map(['draft', 'published'].map((name) => [name, { name, live: name === 'published', to: [] }])),
  }
  for (const key of ['published', 'publish', 'pubDate', 'pubdate', 'PublishDate']) {
    for (const form of forms) {
      for (const other of others) {
        const head = `${other}${key}: ${form}`
        const said = problem(head)
        t.match(said, { severity: 'error', message: /is not a date that Quire can read/ }, head)
        t.equal(said?.line, other === '' ? 3 : 4)
        t.match(problem(head, claimed), { severity: 'error' }, `${head}, in a type with a field of that name`)
      }
    }
  }
  const own = { ...shape, claimed: ['publishDate', 'pubDate', 'published', 'expiryDate', 'unpublishDate'] }
  for (const key of ['publishDate', 'pubDate', 'expiryDate', 'unpublishDate']) {
    t.match(problem(`${key}: Jan 1, 2001`, own), { severity: 'error' }, `${key}, a field of the type’s own`)
    for (const value of ['2001-01-01', '""', ''])
      t.equal(problem(`${key}: ${value}`, own)?.severity, undefined, `${key}: ${value}`)
  }
  t.equal(problem('published: Nature', own), undefined)
  const drafted = read('---\ndraft: true\npublished: Jan 1, 2099\n---\nBody', md, claimed)
  t.match([drafted.problem?.severity, drafted.fields.status], ['warning', 'draft'], 'a draft is one all the same')
  for (const form of ['Nature', 'Penguin Books, 1984', 'March 2019', 'https://example.com/2099/01/a', '12345', '1999', 'true'])
    t.equal(problem(`published: ${form}`), undefined, `${form} says no time to come`)
  for (const form of ['2099-01-01', '2001-01-01', '""'])
    t.equal(problem(`date: 2020-01-01\npubDate: ${form}`), undefined, 'a date that counts is named by none')
})

t.test('what is in no list, or has no page', async (t) => {
  const unlisted = [
    'unlisted: true',
    'hidden: true',
    'Hidden: yes',
    'hidden: maybe',
    'sitemap: false',
    'sitemap: {disable: true}',
    'eleventyExcludeFromCollections: true',
  ]
  const nowhere = [
    'headless: true',
    'build: {render: never}',
    '_build: {render: false, list: false}',
    'build: {render: link}',
    'permalink: {build: false}',
  ]
  for (const head of [...unlisted, 'build: {list: never}', '_build:\n  list: local']) {
    t.strictSame([isUnlisted(fields(head)), hasNoPage(fields(head)), fields(head).noindex], [true, false, true], head)
  }
  for (const head of nowhere) t.strictSame([isUnlisted(fields(head)), hasNoPage(fields(head))], [true, true], head)
  for (const head of [
    'unlisted: false',
    'hidden: no',
    'hidden:',
    'sitemap: true',
    'sitemap: {priority: 0.5}',
    'headless: false',
    'build: {render: always}',
    'build: make',
  ]) {
    t.strictSame([isUnlisted(fields(head)), hasNoPage(fields(head)), fields(head).noindex], [false, false, undefined], head)
  }
  t.equal(fields('hidden: true\nnoindex: false').noindex, false, 'what is said counts')
  t.equal(fields('noindex: yes').noindex, true)
  t.equal(fields('NoIndex: [google]').noindex, true)
})

t.test('a file’s own keys of names that Quire uses stand apart', async (t) => {
  t.strictSame(fields('id: 5\ntype: tutorial\nversion: 1.0.0\nurl: https://x.org\nbody: b\nown: {a: 1}').own, {
    id: 5,
    type: 'tutorial',
    version: '1.0.0',
    url: 'https://x.org',
    body: 'b',
    own: { a: 1 },
  })
  t.match(read('version: 2\nbody: Text\n', yaml), { fields: { own: { version: 2 } }, body: 'Text' })
  t.notOk('own' in fields('title: x'))
  t.equal(read('---\nid: 5\n---\n', md, { ...shape, map: { id: 'sku' } }).fields.sku, 5, 'but for those the type maps')
})

t.test('times without an offset are the site’s', async (t) => {
  const berlin = { ...shape, timezone: 'Europe/Berlin' }
  const at = (text: string) => read(`---\nstarts: ${text}\n---\n`, md, berlin).fields.starts
  t.equal(at('2024-07-01 12:00'), '2024-07-01T10:00:00.000Z')
  t.equal(at("'2024-01-01'"), '2023-12-31T23:00:00.000Z')
  t.equal(at('2024-03-31T03:30:00'), '2024-03-31T01:30:00.000Z', 'after the clocks went on')
  t.equal(at('2024-01-01T12:00:00.5-05:30'), '2024-01-01T17:30:00.500Z')
  for (const none of ['2024-02-30', '2024-13-01', '2024-01-01T25:00', 'EST', '20240101']) t.equal(at(none), null, none)
})

t.test('front matter of too many keys is not parsed to say so', async (t) => {
  const keys = Array.from({ length: 10_001 }, (_, n) => `k${n}: 1\n`).join('')
  t.match(read(`---\n${keys}"open\n---\n`).problem, { message: 'The front matter has over 10,000 keys.' })
  t.equal(read(`---\n${keys.replaceAll('k', '  k').replace('  k0', 'a:\n  k0')}---\n`).problem, undefined)
  t.equal(read(`---\na:\n${'- b\n'.repeat(20_000)}# c\n---\n`).problem, undefined)
})

t.test('a record has at most 10,000 terms of a kind', async (t) => {
  const tagged = (many: number) =>
    read(`---\nx: 1\ntags:\n${Array.from({ length: many }, (_, n) => `- t${n}\n- t1\n`).join('')}---\n`)
  t.equal((tagged(10_000).fields.tags as string[]).length, 10_000)
  t.match(tagged(10_001).problem, { line: 3, message: '"tags" has over 10,000 different terms.', severity: 'error' })
})

t.test('keys behind two fences with nothing between are no text', async (t) => {
  for (const eol of ['\n', '\r\n']) {
    const open = ['---', '---', 'draft: true', 'title: T', '---', '', 'Not for all.', ''].join(eol)
    t.match(read(open), {
      body: '',
      problem: { severity: 'error', line: 3, message: '"draft: true" stands outside of front matter' },
    })
  }
  t.match(read('---\n \n---\n\ndraft: true\n').problem, { severity: 'error', line: 5 })
  t.match(
    read('---\n# What follows is text.\n---\n\ndraft: true\n'),
    { body: 'draft: true\n', problem: undefined },
    'as a text is written that begins so',
  )
  t.match(read('+++\n+++\nstatus = "draft"\n+++\n').problem, { severity: 'error', line: 3 })
  t.match(read('---\n---\nA text: this one.\n'), { body: 'A text: this one.\n', problem: undefined })
  t.match(read('---\ntitle: T\n---\ndraft: true\n'), { body: 'draft: true\n', problem: undefined })
})

t.test('a first heading is looked for in proportion to the text', async (t) => {
  const title = (body: string) => read(`---\nx: 1\n---\n\n${body}`).fields.title
  t.equal(title(`# a${' '.repeat(200_000)}b #\n\n# Two\n`), 'Two', 'a line of over 1,000 characters is none')
  t.equal(title(`${'a'.repeat(1001)}\n===\n\n# Two\n`), 'Two')
  t.equal(title(`# ${'a'.repeat(900)}\n`), 'a'.repeat(900))
  t.equal(title(`#\n##\n<br>\n---\n${'# <a>\n'.repeat(20)}\n# Two\n`), 'Two', 'without a word it is none')
  t.equal(title(`${'# <a>\n'.repeat(60)}\n# Two\n`), 'Hello world', 'and after 50 of these, none is looked for')
  const spaced = `# ${' '.repeat(990)}\u2028x`
  const before = process.cpuUsage()
  t.equal(title(`${spaced}\n`.repeat(1000)), 'x', 'an end of a line that is not LF is a space of it')
  t.ok(process.cpuUsage(before).user < 400_000, 'and takes no longer')
  t.equal(title('    # code\n\ttext\n===\n> quote\n---\n| a |\n---\nReal\n---  \n'), 'Real')
})

t.test('what a head is known to say is not read again', async (t) => {
  const bytes = Buffer.from('---\ntitle: One\n---\n\nBody\r\n')
  const whole = readDocument(key, shape, bytes, md, 'x')
  const head = readHead(key, shape, bytes, md, 'x')
  t.strictSame(withHead(head, shape, bytes, md, 'x'), whole)
  const known = { ...head, fields: { title: 'Known' } }
  t.strictSame(withHead(known, shape, bytes, md, 'x'), { ...whole, fields: { title: 'Known' } })
  t.equal(withHead(head, shape, Buffer.from('other'), md, 'x'), undefined, 'but of other bytes')
  const dated = { extension: 'md', date: '2026-01-02' }
  t.equal(withHead(head, shape, bytes, dated, 'x')?.saidElsewhere, true)
  const bad = Buffer.from('---\n"\n---\nBody\n')
  t.strictSame(withHead(readHead(key, shape, bad, md, 'x'), shape, bad, md, 'x'), readDocument(key, shape, bad, md, 'x'))
  const data = Buffer.from('title: One\nbody: Text\n')
  const yaml = { extension: 'yaml' }
  t.equal(withHead(readHead(key, shape, data, yaml, 'x'), shape, data, yaml, 'x')?.body, 'Text')
})

t.test('what a file does not say is derived', async (t) => {
  const title = (body: string) => read(`---\nx: 1\n---\n\n${body}`).fields.title
  t.equal(title('text\n\n## A **bold** [link](/x) `code` ##\n'), 'A bold link code')
  t.equal(title('```\n# no\n```\n\nReal\n====\n'), 'Real')
  t.equal(title('no heading'), 'Hello world')
  t.equal(title('# A <!-- not yet --> b <script>no</script>\n'), 'A  b', 'a comment is for nobody')
  const unseen = [
    ...['<!--\n# no\n\n-->\n', '  <!-- a -->\n<!-- b\n# no -->\n', '<?\n# no\n?>\n', '<![CDATA[\n# no\n]]>\n'],
    ...['script', 'style', 'PRE', 'textarea', 'template', 'noscript'].map((name) => `<${name} a>\n\n# no\n\n</${name} >\n`),
    ...['{{< aside >}}\n# no\n{{< /aside >}}\n', '{{< a b="c" >}}\n\n# no\n\n{{</a>}}\n', 'text\n<!--\n# no\n-->\n'],
  ]
  for (const before of unseen) t.equal(title(`${before}\n# Yes\n`), 'Yes', before)
  for (const before of ['<!-- no\n', '<template>\n']) t.equal(title(`${before}\n# no\n`), 'Hello world', before)
  t.equal(title(`{{< figure src="a.jpg" >}}\n# Yes\n`), 'Yes', 'a shortcode that is around nothing')
  t.equal(title(`${'<!-- wp:paragraph -->\n'.repeat(100)}# Yes\n`), 'Yes')
  t.equal(fields('title: 2024').title, '2024')
  t.equal(fields('slug: other').slug, 'other')
  t.strictSame(readHead(key, shape, Buffer.from('# One\n'), md, 'x').fields, read('# One\n').fields)
  t.equal(read('x', md).version, versionOf(Buffer.from('x')))
  t.equal(versionOf(Buffer.from('what is up, doc?')), 'bd9dbf5aae1a3862dd1526723246b20206e5fc37')
  t.equal(readDocument(keyOf('.tokens', 'a'), shape, Buffer.from('x'), md, 'x').source, undefined, 'private ones keep no source')
})

t.test('a title is made of a name that is words, any other stays as it is', async (t) => {
  const named = (id: string) => String(readHead(keyOf('posts', id), shape, Buffer.from('text'), md, 'x').fields.title)
  const titles = {
    'hello-world': 'Hello world',
    '2013~hello_big-world': 'Hello big world',
    '2013-05-06-hello-world': 'Hello world',
    '2013-05-06': '2013-05-06',
    hello: 'Hello',
    404: '404',
    'v18.17.0': 'v18.17.0',
    README: 'README',
    'Meeting Notes - May': 'Meeting Notes - May',
    '2013-05-06 Meeting': '2013-05-06 Meeting',
    'C++': 'C++',
    'सूची-पत्र': 'सूची पत्र',
  }
  for (const [id, title] of Object.entries(titles)) t.equal(named(id), title, id)
})

t.test('term ids', async (t) => {
  t.equal(termId('Big News'), 'big-news')
  t.same(['C', 'C++', 'C#'].map(termId), ['c', 'c-plus-plus', 'c-sharp'])
  t.equal(termId('日本'), '日本')
})

t.test('front matter that would take long to read is refused and says what to do', async (t) => {
  const slow = `title: x\nk: [${'*a,'.repeat(20_000)}]\n`
  t.match(read(`---\n${slow}---\n`).problem, { line: 3, message: /^There is too much here/, hint: /^Write plain/ })
  t.match(read(slow, yaml).problem, { line: 2, message: /^There is too much here/ })
  const many = Array.from({ length: 10_001 }, (_, n) => `k${n}: 1\n`).join('')
  t.match(read(`---\n${many}---\n`).problem, { line: 2, message: 'The front matter has over 10,000 keys.' })
  t.notOk(read(`---\nall:\n${many.replace(/^/gm, '  ').trimEnd()}\n---\n`).problem, 'as many below one key are no trouble')
  const long = `a = "${'x'.repeat(140_000)}"`
  t.match(read(`+++\n${long}\n+++\n`).problem, { line: 2, message: 'The TOML front matter is larger than 128 KiB.' })
  t.match(read(`---json\n{"a": "${'x'.repeat(140_000)}"}\n---\n`).problem, {
    message: 'The JSON front matter is larger than 128 KiB.',
  })
  t.notOk(read(`---\ntext: "${'x'.repeat(1_000_000)}"\n---\n`).problem)
})

import t, { type Test } from 'tap'
import { cms, scratchSite } from '#support/cli.ts'

const site = (t: Test, files: Record<string, string> = {}) => scratchSite(t, { 'content/posts/first.md': 'First.\n', ...files })

t.jobs = 3

/** Checks a site with these files, and holds that what is said of it are these lines and no other. */
async function warns(t: Test, files: Record<string, string>, wanted: readonly RegExp[]): Promise<void> {
  const { code, stdout } = await cms(['check'], { cwd: site(t, files) })
  t.equal(code, 1)
  const lines = stdout.trim().split('\n')
  t.match(lines, wanted)
  t.equal(lines.length, wanted.length)
}

t.test('check names words of other tools that hide nothing here', async (t) => {
  const files = {
    'cms.config.yaml': 'types:\n  rooms: { fields: { private: { type: boolean } } }\n',
    'content/notes/access.md': '---\ntitle: A\nvisibility: Members\n---\n',
    'content/notes/draft.md': '---\nprivate: true\ndraft: true\n---\n',
    'content/notes/no.md': '---\nprivate: false\nvisibility: public\npassword: ""\nstate: Vermont\npublic: yes\n---\n',
    'content/notes/pass.md': '---\nPassword: sesame\n---\n',
    'content/notes/private.md': '---\nprivate: true\nis_published: no\n---\n',
    'content/notes/other.md': '---\nignorePublish: true\nsaveAsDraft: true\nisPagePart: true\ndg-pass: x\n---\n',
    'content/notes/wp.md': '---\npost_status: private\n---\n',
    'content/rooms/a.md': '---\nprivate: true\n---\n',
  }
  await warns(t, files, [
    /access\.md:3:1: warning: "visibility" hides nothing/,
    /other\.md:2:1: warning: "ignorePublish" hides nothing/,
    /other\.md:3:1: warning: "saveAsDraft" hides nothing/,
    /other\.md:4:1: warning: "isPagePart" hides nothing/,
    /other\.md:5:1: warning: "dg-pass" hides nothing/,
    /pass\.md:2:1: warning: "Password" hides nothing/,
    /private\.md:2:1: warning: "private" hides nothing.*draft: true/,
    /private\.md:3:1: warning: "is_published" hides nothing/,
    /wp\.md:2:1: warning: "post_status" hides nothing/,
  ])
})

t.test('check names folders and files that are called after drafts and are public', async (t) => {
  const files = {
    'cms.config.yaml': 'types:\n  private: { fields: { title: { type: text } } }\n',
    'content/drafts/a.md': 'A\n',
    'content/posts/Drafts/2026/a.md': 'A\n',
    'content/posts/Drafts/b.md': 'B\n',
    'content/posts/hidden.draft.md': 'A\n',
    'content/posts/wip/a.md': '---\ndraft: true\n---\nA\n',
    'content/posts/draft-horses.md': 'A\n',
    'content/posts/node_modules/a/README.md': 'A\n',
    'content/posts/[draft] b.md': 'A\n',
    'content/private/a.md': 'A\n',
  }
  await warns(t, files, [
    /^content\/drafts: warning: A name keeps nothing from the public: 1 record in it is public\./,
    /^content\/posts\/Drafts: warning: .*: 2 records in it are public\. Say draft: true/,
    /^content\/posts\/\[draft\] b\.md: warning: .*: this record is public\./,
    /^content\/posts\/hidden\.draft\.md: warning: .*: this record is public\./,
    /^content\/posts\/node_modules: warning: .*: 1 record in it is public\. Move the folder out of the content/,
  ])
})

t.test('check names what a tool did not show, since nothing said so or no list named it', async (t) => {
  const seen = { 'content/posts/first.md': '---\ndg-publish: true\n---\n' }
  await warns(
    t,
    { ...seen, 'content/posts/b.md': 'B\n', 'content/posts/c.md': '---\ndraft: true\n---\n', 'content/x.md': 'X\n' },
    [
      /^content\/posts\/b\.md: warning: Other texts say dg-publish: true, .* This record and 1 other are public here\. Say draft: true/,
    ],
  )
  const graph = { 'content/logseq/config.edn': '{}', 'content/posts/first.md': 'public:: true\n\n- A\n' }
  await warns(t, { ...graph, 'content/posts/b.md': '- B\n' }, [
    /^content\/posts\/b\.md: warning: Other texts say public:: true, .* This/,
  ])
  const quartz = 'const config = {\n  ignorePatterns: ["mine"],\n  filters: [Plugin.ExplicitPublish()],\n}\n'
  const chosen = { 'quartz.config.ts': quartz, 'content/posts/first.md': '---\npublish: true\n---\n' }
  await warns(t, { ...chosen, 'content/mine/a.md': 'A\n' }, [
    /^content\/mine\/a\.md: warning: Other texts say publish: true, .* This record is public/,
    /^quartz\.config\.ts: warning: What is listed here to be left out is not: content\/mine\/a\.md\./,
  ])
  await warns(t, { 'content/.obsidian/publish.json': '{"excluded":["posts/"]}' }, [
    /publish\.json: warning: .*content\/posts\/first\.md/,
  ])
  const list = { 'content/book/SUMMARY.md': '- [A](a.md)\n', 'content/book/a.md': 'A\n', 'content/book/b.md': 'B\n' }
  await warns(t, { ...list, 'book.toml': '[book]\nsrc = "content/book"\n' }, [
    /^content\/book\/b\.md: warning: The book does not show what content\/book\/SUMMARY\.md does not list\. This record is public/,
  ])
})

t.test('check names a line of a text that calls it a draft, where front matter says nothing', async (t) => {
  const text = '# T\n\n**Status:** draft\n\nText.\n'
  const files = {
    'content/posts/a.md': `---\ntitle: A\n---\n\n${text}`,
    'content/posts/b.mdx': '---\r\ntitle: B\r\n---\r\nexport const metadata = { draft: true }\r\n\r\nText.\r\n',
    'content/posts/public.md': `---\ntitle: C\ndraft: false\n---\n\n${text}`,
    'content/posts/status.md': `---\nStatus: published\n---\n\n${text}`,
    'content/posts/draft.md': `---\ndraft: true\n---\n\n${text}`,
    'content/posts/text.md': `---\ntitle: E\n# What follows is text.\n---\n\n${text}`,
    'content/posts/code.md': '---\ntitle: F\n---\n\n```\ndraft: true\n```\n',
  }
  await warns(t, files, [
    /posts\/a\.md:7:1: warning: "\*\*Status:\*\* draft" in the text hides nothing: the record is public\. Say draft: true/,
    /posts\/b\.mdx:4:1: warning: "export const metadata = \{ draft: true \}" in the text/,
  ])
})

t.test('check names dates and nested words of other tools that hide nothing here', async (t) => {
  const root = site(t, {
    'content/posts/access.md': '---\naccess: { site.login: true }\n---\n',
    'content/posts/begun.md':
      '---\npubDatetime: 2020-01-01T00:00:00Z\nexpires: 2099-01-01\nreleaseDate: soon\nshare: false\n---\n',
    'content/posts/computed.md': '---\neleventyComputed: { permalink: false }\n---\n',
    'content/posts/later.md': '---\npubDatetime: 2099-01-01T00:00:00Z\n---\n',
    'content/posts/over.md': '---\nunpublish_date: 2001-01-01\n---\n',
    'content/posts/render.md': '+++\nrender = false\n+++\n',
    'content/posts/to-come.md': '---\npubDate: 2099-01-01\n---\n',
    'content/posts/unbuilt.md': '+++\n[_build]\nrender = false\nlist = false\n+++\n',
  })
  const { stdout } = await cms(['check'], { cwd: root })
  const lines = stdout.trim().split('\n')
  t.match(lines, [
    /access\.md:2:1: warning: "access" hides nothing/,
    /computed\.md:2:1: warning: "eleventyComputed" hides nothing/,
    /later\.md:2:1: warning: "pubDatetime" hides nothing/,
    /over\.md:2:1: warning: "unpublish_date" hides nothing/,
    /render\.md:2:1: warning: "render" hides nothing/,
  ])
  t.equal(lines.length, 5)
})

t.test('check names misspelt keys that would hide a text', async (t) => {
  const files = {
    'cms.config.yaml': 'types:\n  rooms: { fields: { drafty: { type: boolean } } }\n',
    'content/notes/draft.md': '---\ndrfat: true\n---\n',
    'content/notes/late.md': '---\npublised_at: 2099-01-01\n---\n',
    'content/notes/none.md':
      "---\ncraft: beer\npublisher: O'Reilly\nstatues: [lions]\ndrft: false\nupdated_on: 2020-01-01\nlisted: yes\nhide: [toc]\n---\n",
    'content/notes/over.md': '---\nexpire_at: 2001-01-01\n---\n',
    'content/notes/safe.md': '---\ndraft: true\nstauts: draft\n---\n',
    'content/notes/stauts.md': '---\ntitle: S\nstauts: draft\n---\n',
    'content/rooms/a.md': '---\ndrafty: true\n---\n',
  }
  await warns(t, files, [
    /draft\.md:2:1: warning: "drfat" hides nothing: the record is public\..*Did you mean draft\?/,
    /late\.md:2:1: warning: "publised_at" hides nothing.*published_at/,
    /over\.md:2:1: warning: "expire_at" hides nothing/,
    /stauts\.md:3:1: warning: "stauts" hides nothing.*status/,
  ])
})

t.test('check names comments of other tools, which are shown as text', async (t) => {
  const files = {
    'content/notes/code.md': '```mermaid\n%% no\n%%\n```\n\n`{% comment %}` and `%%x%%`, 5 %% 6, {#id} {x}\n\n<!-- yes -->\n',
    'content/notes/draft.md': '---\ndraft: true\n---\n%%secret%%\n',
    'content/notes/hugo.md': '{{/* secret */}}\n',
    'content/notes/jinja.md': 'x {# secret #}\n',
    'content/notes/liquid.md': '---\ntitle: L\n---\n\none\n{%- comment -%}secret{% endcomment %}\n',
    'content/notes/mdx.mdx': '{/* secret */}\n',
    'content/notes/obsidian.md': 'x %%secret%%\n',
    'content/notes/over-lines.md': '%%\nsecret\n%%\n',
  }
  await warns(t, files, [
    /hugo\.md:1:1: warning: A comment of another tool is shown as text/,
    /jinja\.md:1:3: /,
    /liquid\.md:6:1: /,
    /mdx\.mdx:1:1: /,
    /obsidian\.md:1:3: /,
    /over-lines\.md:1:1: /,
  ])
})

t.test('check says once a kind what syntax of other tools is shown to readers, and nothing fails', async (t) => {
  const root = site(t, {
    'content/posts/a.md': '---\ntitle: A\n---\n\n{{< gist src="a" >}}\n\n{{< ref x >}} {{< youtube y >}}\n',
    'content/posts/b.mdx': 'import Tabs from "x"\n\n<Tabs>\n\n{{< gist >}}\n\n</Tabs>\n',
  })
  const { code, stdout, stderr } = await cms(['check'], { cwd: root })
  t.equal(code, 0, stdout)
  const said = stdout + stderr
  t.match(said, 'Shortcodes of Hugo (gist, ref): 3 in 2 records, first in content/posts/a.md:5; they are shown as text.')
  t.match(said, 'Components of JSX or Vue (Tabs): 1 in 1 record, first in content/posts/b.mdx:3;')
  t.match(said, 'Lines of modules (import, export): 1 in 1 record, first in content/posts/b.mdx:1;')
})

t.test('check names comments of other tools over lines, and what is none is none', async (t) => {
  const comments = [
    ['%%note\nsecret\n%%\n', '1:1'],
    ['text %%a\nsecret\nb%%\n', '1:6'],
    ['{::comment}\nsecret\n{:/comment}\n', '1:1'],
    ['{#\nsecret\n#}\n', '1:1'],
    ['{# a\nsecret #}\n', '1:1'],
    ['{#secret#}\n', '1:1'],
    ['a {{< comment >}}secret{{< /comment >}}\n', '1:3'],
    ['{{% comment %}}secret{{% /comment %}}\n', '1:1'],
    ['{%# secret %}\n', '1:1'],
    ['{%- comment "why" -%}secret{% endcomment %}\n', '1:1'],
    ['{{!-- secret --}}\n', '1:1'],
    ['{{-- secret --}}\n', '1:1'],
    ['<%# secret %>\n', '1:1'],
    ['a {>>secret<<}\n', '1:3'],
    ['#+BEGIN_COMMENT\nsecret\n#+END_COMMENT\n', '1:1'],
  ] as const
  const open = [
    '5 %% 6\n\n7 %% 8\n',
    '%% one remark of LaTeX\n',
    '## Title {#id}\n\ntext {#b}\n',
    '`{#x#}` and `{{!x}}`\n\n    %%\n',
    '{{ x }} {% if comments %}{% endif %}\n',
    'a {# b\n',
    '~~~\n%%a\nb%%\n~~~\n',
  ]
  const file = (n: number) => `content/notes/${String(n).padStart(2, '0')}.md`
  const files = [...comments.map(([text]) => text), ...open].map((text, n) => [file(n), text])
  const { stdout } = await cms(['check'], { cwd: site(t, Object.fromEntries(files)) })
  const lines = stdout.trim().split('\n')
  t.strictSame(
    lines.map((line) => line.replace(/: warning: A comment of another tool.*/, '')),
    comments.map(([, place], n) => `${file(n)}:${place}`),
  )
})

t.test('check names what lies beside an index.md that is kept from the public', async (t) => {
  const files = {
    'content/posts/trip/index.md': '---\ndraft: true\n---\n',
    'content/posts/trip/day-1.md': 'One\n',
    'content/posts/trip/days/2.md': 'Two\n',
    'content/posts/head/index.md': '---\nheadless: true\n---\n',
    'content/posts/head/part.md': 'Part\n',
    'content/posts/all/index.md': '---\ndraft: true\n---\n',
    'content/posts/all/share.md': '---\ndraft: true\n---\n',
    'content/posts/live/index.md': 'Live\n',
    'content/posts/live/piece.md': 'Part\n',
    'content/posts/section/_index.md': '---\ndraft: true\n---\n',
    'content/posts/section/a.md': 'A\n',
    'content/posts/lang/index.en.md': '---\ndraft: true\n---\n',
    'content/posts/lang/part.md': 'Part\n',
    'content/posts/html/index.html': '---\ndraft: true\n---\n<p>\n',
    'content/posts/html/part.md': 'Part\n',
    'content/posts/page/_index.md': '---\nbuild: { render: never }\n---\n',
    'content/posts/page/a.md': 'A\n',
  }
  await warns(t, files, [
    /^content\/posts\/head\/index\.md: warning: .*kept from the public.*: content\/posts\/head\/part\.md\./,
    /^content\/posts\/html\/index\.html: warning: .*: content\/posts\/html\/part\.md\./,
    /^content\/posts\/lang\/index\.en\.md: warning: .*: content\/posts\/lang\/part\.md\./,
    /^content\/posts\/section\/_index\.md: warning: .*: content\/posts\/section\/a\.md\./,
    /^content\/posts\/trip\/index\.md: warning: .*: content\/posts\/trip\/day-1\.md and 1 other\./,
  ])
})

t.test('check names lists of other tools that leave out what is a record here', async (t) => {
  const files = {
    '_config.yml': 'exclude: [node_modules, content/hidden, "notes/*.md", ../x]\n',
    '.eleventyignore': '# a remark\n\n/content/ignored/\nREADME.md\n',
    'content/hidden/a.md': 'A\n',
    'content/notes/n.md': 'N\n',
    'content/ignored/i.md': 'I\n',
    'content/posts/p.md': 'P\n',
  }
  await warns(t, files, [
    /^\.eleventyignore: warning: .*: content\/ignored\/i\.md\./,
    /^_config\.yml: warning: What is listed here to be left out is not: content\/hidden\/a\.md and 1 other\./,
  ])
})

t.test('check names what tools say for many files at once to hide them, and nothing else', async (t) => {
  const files = {
    '_config.yml':
      'defaults:\n  - scope: { path: "" }\n    values: { layout: post }\n  - scope: { path: _secret }\n    values:\n      published: false\n',
    'hugo.toml': 'title = "x"\n[[cascade]]\n  draft = true\n',
    'content/posts/posts.json': '{"draft": true, "layout": "post"}',
    'content/posts/a.md': 'A\n',
    'content/posts/a.json': '{"permalink": false}',
    'content/posts/data.json': '{"draft": true}',
    'content/notes/notes.11tydata.json': '{"eleventyExcludeFromCollections": true}',
    'content/notes/n.md': 'N\n',
    'content/plain/plain.json': '{"layout": "x", "draft": false, "permalink": "/x/"}',
    'content/plain/p.md': 'P\n',
    'content/code/code.11tydata.js': 'module.exports = { permalink: false }\n',
    'content/code/c.md': 'C\n',
    'content/broken/broken.json': '{',
  }
  await warns(t, files, [
    /^_config\.yml: warning: "published" does not keep/,
    /^content\/code\/code\.11tydata\.js: warning: "permalink"/,
    /^content\/notes\/notes\.11tydata\.json: warning: "eleventyExcludeFromCollections"/,
    /^content\/posts\/a\.json: warning: "permalink"/,
    /^content\/posts\/posts\.json: warning: "draft" does not keep the files it is for from the public: this is not read\./,
    /^hugo\.toml: warning: "draft" does not keep/,
  ])
})

t.test('check names a cascade that keeps from the public elsewhere, and no other', async (t) => {
  const files = {
    'content/terms/_index.md': '---\ntitle: Terms\ncascade:\n  build:\n    render: never\n---\n',
    'content/held/_index.md': '+++\n[[cascade]]\ndraft = true\n+++\n',
    'content/plain/_index.md': '---\ncascade:\n  - params: { wide: true }\n    draft: false\n---\n',
    'content/notes/x.md': '---\ncascade: { draft: true }\n---\n',
  }
  await warns(t, files, [/held\/_index\.md.*: warning: What cascade/, /terms\/_index\.md:3:1: warning: What cascade/])
})

t.test('check reads a list of files whatever its entries are, in the places and words of each tool', async (t) => {
  const files = {
    'content/notes.md': 'N\n',
    'content/priv/x.md': 'X\n',
    'content/priv/deep/y.md': 'Y\n',
    'content/open/z.md': 'Z\n',
    'content/open/draft.md': '---\ndraft: true\n---\n',
  }
  const priv = 'content/priv/deep/y.md and 1 other.'
  const lists: Record<string, [file: string, text: string, says: string]> = {
    jekyll: ['_config.yml', 'exclude: [notes.md, priv]\n', 'content/notes.md and 2 others.'],
    'jekyll with a key of Ruby': ['_config.yaml', 'x: !ruby/regexp /a/\nexclude:\n  - priv/*.md\nother: 1\n', priv],
    'jekyll in TOML': ['_config.toml', 'exclude = ["content/priv/"]\n', priv],
    'in the content': ['content/_config.yml', 'exclude: priv\n', priv],
    hexo: ['_config.yml', 'ignore: ["**/deep/*.md"]\n', 'content/priv/deep/y.md.'],
    mkdocs: [
      'mkdocs.yml',
      'x: !!python/name:a.b\nexclude_docs: |\n  # remark\n  *.md\n  !z.md\n  !notes.md\n  !first.md\n',
      priv,
    ],
    'mkdocs drafts': ['mkdocs.yml', 'draft_docs: |\n  deep/\n', 'content/priv/deep/y.md.'],
    hugo: ['hugo.toml', 'ignoreFiles = ["/priv/.*\\\\.md$", "("]\n', priv],
    'hugo by folder': [
      'config/_default/hugo.yaml',
      'module:\n  mounts:\n    - source: content\n      excludeFiles: [priv/**]\n',
      priv,
    ],
    zola: ['config.toml', 'ignored_content = ["{priv,none}/*.{md,txt}"]\n', 'content/priv/x.md.'],
    eleventy: ['.eleventyignore', 'content/notes.md\ncontent/priv\n', 'content/notes.md and 2 others.'],
    gitbook: ['.bookignore', 'deep\n', 'content/priv/deep/y.md.'],
    pelican: ['pelicanconf.py', "X = 1\nARTICLE_EXCLUDES = ['priv', 'none']\n", priv],
    vitepress: ['.vitepress/config.ts', "export default {\n  srcExclude: ['**/x.md'],\n}\n", 'content/priv/x.md.'],
  }
  for (const [tool, [file, text, says]] of Object.entries(lists)) {
    const { stdout } = await cms(['check'], { cwd: site(t, { ...files, [file]: text }) })
    t.match(stdout.trim().split('\n'), [`${file}: warning: What is listed here to be left out is not: ${says}`], tool)
  }
  const none = { '.gitignore': 'priv\n', '_config.yml': 'exclude: [open/draft.md, "*.html", ../x]\nkeep: priv\n' }
  t.match(await cms(['check'], { cwd: site(t, { ...files, ...none }) }), { code: 0 })
  const ignored = await cms(['check'], { cwd: site(t, { ...files, ...none, 'eleventy.config.js': '' }) })
  t.match(ignored.stdout, /^\.gitignore: warning/)
})

t.test('check asks after the same words wherever they can stand for many files', async (t) => {
  const words = {
    publishDate: '2099-01-01',
    expiryDate: '2020-01-01',
    date: '2099-01-01',
    status: 'draft',
    private: true,
    permalink: false,
    unlisted: true,
    visibility: 'members',
    unpublish_date: '2020-01-01',
  }
  const open = {
    publishDate: '2020-01-01',
    expiryDate: '2099-01-01',
    status: 'published',
    private: false,
    permalink: '/x/',
    tags: ['a'],
  }
  const places = (said: object): Record<string, string> => ({
    '_config.yml': `x: !ruby/regexp /a/\ndefaults:\n  - scope: { path: "" }\n    values: ${JSON.stringify(said)}\n`,
    'hugo.json': JSON.stringify({ cascade: [said] }),
    'config/_default/cascade.json': JSON.stringify(said),
    'config/production/hugo.json': JSON.stringify({ cascade: said }),
    'content/a/_index.md': `---\ncascade: ${JSON.stringify([said])}\n---\n`,
    'content/b/_index.fr.md': `---\ncascade: ${JSON.stringify(said)}\n---\n`,
    'content/b/_index.html': `---\ncascade: ${JSON.stringify(said)}\n---\n`,
    'content/posts/posts.json': JSON.stringify(said),
    'content/posts/posts.11tydata.json': JSON.stringify(said),
    'content/c/_metadata.yml': JSON.stringify(said),
    'content/c/_data.json': JSON.stringify(said),
    'content/c/.meta.yml': JSON.stringify(said),
    'content/posts/first.meta': Object.entries(said)
      .map(([key, value]) => `.. ${key}: ${value}\n`)
      .join(''),
  })
  const named = async (said: object) => {
    const { stdout } = await cms(['check', '--json'], { cwd: site(t, places(said)) })
    return new Set<string>(JSON.parse(stdout).data.problems.map(({ file }: { file: string }) => file))
  }
  const all = new Set(Object.keys(places({})))
  const found = await Promise.all(
    Object.entries(words).map(async ([word, value]) => ({ word, files: await named({ [word]: value }) })),
  )
  for (const { word, files } of found) t.strictSame(files, all, word)
  t.strictSame(await named(open), new Set())
})

t.test('check names the words of other tools, in their forms, that hide a text and are not acted on', async (t) => {
  const hiding = [
    'hide: true',
    'ignored: yes',
    'is_hidden: true',
    'listed: false',
    'published: "Jan 1, 2099"',
    'published: 01/02/2099',
    'published: 2099',
    'published: 4070908800',
    'publish_date: 31.01.2099',
    'publish_date: 4070908800000',
    'post_date: 2099-01-01',
    'not_before: 2099-01-01',
    'publish_until: 2020-01-01',
    'hide_after: 2020-01-01',
    'members: true',
    'subscribersOnly: true',
    'login_required: true',
    'encrypted: true',
    '_draft: true',
    '_published: false',
    'do_not_publish: true',
  ]
  const open = [
    ...[
      'hide: [toc]',
      'members: [ada]',
      'published: 2019',
      'published: "May 2, 2019"',
      'publish_until: 31.12.2098',
      'post_date: soon',
    ],
    ...['publish: true', 'listed: yes', '_draft: false', 'paid: 2020-01-01', 'publish: 2020-01-01'],
  ]
  const file = (n: number) => `content/notes/${String(n).padStart(2, '0')}.md`
  const files = Object.fromEntries([...hiding, ...open].map((head, n) => [file(n), `---\n${head}\n---\n`]))
  const root = site(t, { ...files, 'content/notes/to-come.md': '---\npublish: 2099-01-01\n---\n' })
  const { stdout } = await cms(['check', '--json'], { cwd: root })
  const named = JSON.parse(stdout).data.problems.map(({ file }: { file: string }) => file)
  const nameOf = (path: string) => [...hiding, ...open].find((_, n) => file(n) === path) ?? path
  t.strictSame(named.map(nameOf), hiding)
  const { data } = JSON.parse((await cms(['list', 'notes', '--json', '--status', 'scheduled'], { cwd: root })).stdout)
  t.match(data, [{ id: 'to-come' }])
  t.equal(data.length, 1)
})

t.test('check names words that hide in terms and menus, which have no drafts', async (t) => {
  const files = {
    'content/taxonomy/tags/x.yaml': 'name: X\ndraft: true\n',
    'content/taxonomy/tags/y.yaml': 'name: Y\nstatus: archived\n',
    'content/taxonomy/tags/z.yaml': 'name: Z\ndraft: false\n',
    'content/taxonomy/categories/places/a.yaml': 'name: A\nprivate: true\n',
    'content/menus/main.yaml': 'items:\n  - label: A\n    url: /\n    children: [{ label: B, url: /, hidden: true }]\n',
    'content/menus/foot.yaml': 'items: [{ label: A, url: /, id: a }]\n',
  }
  await warns(t, files, [
    /^content\/menus\/main\.yaml: warning: "hidden" hides nothing: terms, menus and media are public\./,
    /^content\/taxonomy\/categories\/places\/a\.yaml: warning: "private"/,
    /^content\/taxonomy\/tags\/x\.yaml: warning: "draft"/,
    /^content\/taxonomy\/tags\/y\.yaml: warning: "status"/,
  ])
})

t.test('check names a tag by which Nikola hides', async (t) => {
  const files = {
    'content/posts/k.md': '---\ntitle: K\ntags: [draft]\n---\nText.\n',
    'content/posts/l.md': '---\ntitle: L\ntags: [drafts]\n---\nText.\n',
  }
  const { stdout } = await cms(['check'], { cwd: site(t, files) })
  t.match(stdout, /^content\/posts\/k\.md.*"tags" hides nothing/m)
  t.notMatch(stdout, 'posts/l.md')
})

t.test('check says once where records of a type are whose name is taken', async (t) => {
  const files = { 'content/api/a.md': 'A.\n', 'content/api/b.md': 'B.\n', 'content/Admin/a.md': 'A.\n' }
  const { code, stderr } = await cms(['check'], { cwd: site(t, files) })
  t.equal(code, 0)
  t.match(stderr, /^api: \/api is an address of Quire itself, so its records are below \/content\/api;/m)
  t.equal(stderr.match(/address of Quire itself/g)?.length, 2)
})

t.test('check names words for drafts below another key', async (t) => {
  const files = {
    'content/posts/m.md': '---\ntitle: M\npage: { draft: true }\n---\nText.\n',
    'content/posts/n.md': '---\ntitle: N\nmeta:\n  status: Draft\n---\nText.\n',
    'content/posts/o.md': '---\ntitle: O\nauthor: { name: A, status: member, draft: false }\n---\nText.\n',
  }
  const { stdout } = await cms(['check'], { cwd: site(t, files) })
  t.match(stdout, /^content\/posts\/m\.md.*"page" hides nothing/m)
  t.match(stdout, /^content\/posts\/n\.md.*"meta" hides nothing/m)
  t.notMatch(stdout, 'posts/o.md')
})

t.test('check reads what programs tell their tools to leave out', async (t) => {
  const files = {
    'eleventy.config.js':
      'export default (config) => {\n  if (isLive) config.ignores.add("posts/own.md")\n  config.watchIgnores.add("posts/**")\n}\n',
    'src/content.config.ts': "const a = glob({ base: './content/blog', pattern: ['**/*.md', '!kept/**'] })\n",
    'content/.vitepress/config/index.ts': "export default { srcExclude: ['**/parts/**'], llms: { ignoreFiles: ['first.md'] } }\n",
    'config.rb': 'ignore "/team/*"\n',
    'conf.py': "exclude_patterns = [\n  'x',  # was ['y']\n  'old/*',\n]\nexclude_patterns.append('last.md')\n",
    'content/posts/own.md': 'A\n',
    'content/blog/kept/a.md': 'A\n',
    'content/blog/parts/a.md': 'A\n',
    'content/team/a.md': 'A\n',
    'content/old/a.md': 'A\n',
    'content/last.md': 'A\n',
  }
  await warns(t, files, [
    /^conf\.py: warning: .* not: content\/last\.md and 1 other\./,
    /^config\.rb: warning: .* not: content\/team\/a\.md\./,
    /^content\/\.vitepress\/config\/index\.ts: warning: .* not: content\/blog\/parts\/a\.md\./,
    /^eleventy\.config\.js: warning: .* not: content\/posts\/own\.md\./,
    /^src\/content\.config\.ts: warning: .* not: content\/blog\/kept\/a\.md\./,
  ])
})

t.test('check reads what other configurations leave out', async (t) => {
  const hidden = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [`content/${name}/x.md`, 'X\n']))
  const files = {
    ...hidden,
    'bridgetown.config.yml': 'exclude: [a]\n',
    'mkdocs.yml': 'plugins:\n  - search\n  - exclude: { glob: ["b/*"] }\nextra: !!python/name:x.y\n',
    '_quarto.yml': 'website:\n  drafts: [content/c/x.md]\nproject:\n  render: ["*.md", "!d/"]\n',
    'content/logseq/config.edn': '{:hidden ["/e"]}\n',
    '.mintignore': 'f/\n',
    'dendron.yml': 'publishing:\n  siteHierarchies: [first, x]\n  hierarchies: { x: { publishByDefault: false } }\n',
    'hugo.toml':
      'disableLanguages = ["fr"]\n[[module.mounts]]\nsource = "content"\ntarget = "content"\nfiles = ["! g/**", "**"]\n',
    'content/posts/first.fr.md': 'F\n',
  }
  await warns(t, files, [
    /^\.mintignore: warning: .* not: content\/f\/x\.md\./,
    /^_quarto\.yml: warning: .* not: content\/c\/x\.md and 1 other\./,
    /^bridgetown\.config\.yml: warning: .* not: content\/a\/x\.md\./,
    /^content\/logseq\/config\.edn: warning: .* not: content\/e\/x\.md\./,
    /^dendron\.yml: warning: .* not: content\/a\/x\.md and 6 others\./,
    /^hugo\.toml: warning: .* not: content\/g\/x\.md and 1 other\./,
    /^mkdocs\.yml: warning: .* not: content\/b\/x\.md\./,
  ])
})

t.test(
  'check names what is said for many texts by Statamic, Pelican, Bridgetown and Cobalt, and what Logseq keeps',
  async (t) => {
    const files = {
      'bridgetown.config.yml': 'defaults:\n  - values: { published: false }\n',
      '_cobalt.yml': 'posts: { default: { is_draft: true } }\n',
      'pelicanconf.py': "DEFAULT_METADATA = {\n    'status': 'draft',\n}\n",
      'content/collections/blog.yaml': 'title: Blog\ndate_behavior: { past: public, future: private }\n',
      'content/collections/open.yaml': 'date_behavior: { past: public, future: public }\ninject: { author: ada }\n',
      'content/collections/vip.yaml': 'inject: { protect: logged_in }\n',
      'content/logseq/bak/pages/a/1.md': '- A\n',
      'content/a.md': '---\nstream: draft\n---\n',
    }
    await warns(t, files, [
      /^_cobalt\.yml: warning: "is_draft" does not keep/,
      /^bridgetown\.config\.yml: warning: "published" does not keep/,
      /^content\/a\.md:2:1: warning: "stream" hides nothing/,
      /^content\/collections\/blog\.yaml: warning: "date_behavior" does not keep/,
      /^content\/collections\/vip\.yaml: warning: "protect" does not keep/,
      /^content\/logseq\/bak: warning: .*: 1 record in it is public\./,
      /^pelicanconf\.py: warning: "status" does not keep/,
    ])
  },
)

t.test('check names what Hugo has no page for, and dates that its configuration names', async (t) => {
  const files = {
    'hugo.toml': '[frontmatter]\ndate = ["go_up", ":default"]\nexpiryDate = ["Ends"]\n',
    'content/posts/first.md': '---\ngo_up: 2099-01-01\n---\n',
    'content/posts/over.md': '---\nends: 2001-01-01\n---\n',
    'content/posts/live.md': '---\ngo_up: 2001-01-01\nends: 2099-01-01\n---\n',
    'content/posts/trip/index.md': 'Trip.\n',
    'content/posts/trip/notes.md': 'Notes.\n',
    'content/posts/trip/draft.md': '---\ndraft: true\n---\n',
    'content/docs/_index.md': 'Docs.\n',
    'content/docs/a.md': 'A\n',
    'content/posts/reise/index.de.md': 'Reise.\n',
    'content/posts/reise/index.en.md': 'Trip.\n',
    'content/posts/reise/alt/notes.md': 'Notes.\n',
    'content/posts/html/index.html': 'Trip.\n',
    'content/posts/html/a.md': 'Notes.\n',
  }
  await warns(t, files, [
    /posts\/first\.md: warning: "go_up" hides nothing: the record is public\. Say map: \{ go_up: published_at \}/,
    /posts\/html\/index\.html: warning: Hugo takes .* Here they have some: content\/posts\/html\/a\.md\./,
    /posts\/over\.md: warning: "Ends" hides nothing: .* Ends: expires_at/,
    /posts\/reise\/index\.de\.md: warning: Hugo takes .* Here they have some: content\/posts\/reise\/alt\/notes\.md\./,
    /posts\/trip\/index\.md: warning: Hugo takes .* Here they have some: content\/posts\/trip\/notes\.md\./,
  ])
})

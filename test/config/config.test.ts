import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { shapeFaults } from '#config/check.ts'
import { findSite, type LoadedConfig, loadConfig } from '#config/load.ts'
import { configSchema } from '#config/schema.ts'
import { secretOf } from '#config/secret.ts'
import { parseDuration } from '#lib/duration.ts'
import { BadConfig } from '#lib/errors.ts'
import { parseSize } from '#lib/size.ts'
import { distance, nearest } from '#lib/text/nearest.ts'
import { longTest } from '#support/long.ts'

const schema = configSchema as unknown as Parameters<typeof shapeFaults>[1]

/** A folder outside this checkout, which is a site itself. */
function folder(test: Test): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'quire-config-')))
  test.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function site(test: Test, text?: string, folders: string[] = ['content']): string {
  const root = folder(test)
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
  if (text !== undefined) writeFileSync(join(root, 'cms.config.yaml'), text)
  return root
}

function load(test: Test, text?: string, env: NodeJS.ProcessEnv = {}, folders?: string[]): LoadedConfig {
  return loadConfig(site(test, text, folders), env)
}

/** The place and words of the error that a configuration earns: `line:column message | hint`. */
function mistake(test: Test, text: string, env: NodeJS.ProcessEnv = {}, folders?: string[]): string {
  try {
    load(test, text, env, folders)
  } catch (error) {
    if (!(error instanceof BadConfig)) throw error
    test.equal(error.file, 'cms.config.yaml')
    test.equal(error.exit, 3)
    return [error, ...error.others]
      .map(({ line, column, message, hint }) => `${line}:${column} ${message} | ${hint ?? ''}`)
      .join('\n')
  }
  return 'no mistake'
}

/** The words of the error that `work` throws. */
function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return error instanceof BadConfig ? `${error.message} ${error.hint}` : String(error)
  }
  return 'no mistake'
}

t.test('finding the site', async (t) => {
  const root = site(t, '', ['content/posts', 'inner/content'])
  t.equal(findSite(join(root, 'content', 'posts')), root)
  t.equal(findSite(join(root, 'inner')), root, 'a configuration further up wins over a content folder')
  const lone = site(t, undefined, ['content/posts'])
  t.equal(findSite(join(lone, 'content', 'posts')), lone)
  t.throws(() => findSite('/'), { name: 'Error', hint: /cms init/, exit: 3 })
})

t.test('a site without configuration has every default', async (t) => {
  const { config, file, warnings, fingerprint } = load(t)
  t.equal(file, undefined)
  t.strictSame(warnings, [])
  t.match(fingerprint, /^[0-9a-f]{64}$/)
  t.matchOnlyStrict(JSON.parse(JSON.stringify(config)), {
    site: {
      name: 'My site',
      url: 'http://127.0.0.1:3000',
      locale: 'en',
      timezone: 'UTC',
      content: 'content',
      templates: 'templates',
      per_page: 10,
      feed_limit: 20,
    },
    server: { host: '127.0.0.1', port: 3000, trust_proxy: false },
    storage: { driver: 'files', url: '${DATABASE_URL}', private_dir: '.cms' },
    git: {
      enabled: 'auto',
      branch: null,
      remote: 'origin',
      pull: 'off',
      push: 'off',
      local_edits: 'keep',
      author: { name: 'Quire', email: 'quire@localhost' },
    },
    types: {},
    settings: {},
    taxonomies: { categories: { singular: 'category', hierarchical: true }, tags: { singular: 'tag', hierarchical: false } },
    statuses: {
      draft: { live: false, to: ['in_review', 'published'] },
      in_review: { live: false, to: ['draft', 'published'] },
      published: { live: true, to: ['draft', 'archived'] },
      archived: { live: false, to: ['draft'] },
    },
    roles: {},
    features: {
      ...on(
        'api site sitemap search taxonomy revisions docs auth admin media menus settings modules events webhooks audit',
        true,
      ),
      ...on('teams billing analytics metrics', false),
    },
    api: { cors: { origins: [] }, tokens: [] },
    throttle: { api: 'off', search: '600,1', auth: '10,1', uploads: '60,1', admin: '300,1' },
    auth: {
      methods: ['otp', 'magic_link', 'password'],
      registration: false,
      redirects: [],
      password: { min_length: 15 },
      otp: { ttl: '10m' },
      refresh: { ttl: '30d' },
      session: { idle: '2h', max: '12h' },
      providers: {},
    },
    mail: { from: 'Quire <quire@localhost>' },
    media: {
      store: 'auto',
      max_size: '20MiB',
      git_max: '1MiB',
      keep_metadata: false,
      max_pixels: 40000000,
      types: ['jpeg', 'png', 'gif', 'webp', 'avif', 'pdf', 'mp4', 'webm', 'mp3', 'txt', 'csv'],
      widths: [320, 640, 960, 1280, 1920],
    },
    build: { out: 'public', base_url: null, drafts: false, future: false, urls: 'directory' },
    billing: {
      ...{ gateway: 'manual', currency: 'eur', tax_percent: 0, terms_days: 14, plans: [] },
      seller: { name: '', address: '', tax_id: '' },
    },
    modules: { registry: null, signing_keys: [], enabled: [] },
    webhooks: [],
    admin: { url: null },
    analytics: { days: 365, ignore: [] },
    audit: { days: 365 },
  })
  t.strictSame(load(t, '# nothing yet\ntypes:\n').config, config, 'an empty section means its defaults')
  t.equal(load(t, 'site: { name: My site }\n').fingerprint, fingerprint, 'what says the same has the same fingerprint')
  t.not(load(t, 'site: { name: Other }\n').fingerprint, fingerprint)
  t.throws(() => Object.assign(config.site, { name: 'x' }), TypeError, 'it is frozen')
  t.throws(() => (config.media.widths as number[]).push(1), TypeError, 'deep')
})

function on(names: string, value: boolean): Record<string, boolean> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]))
}

t.test('the example of the manual is taken', async (t) => {
  const text = `
site: { name: Shop, url: "https://example.org/", locale: de-AT, timezone: Europe/Vienna }
types:
  posts: { label: Posts, permalink: "/blog/{slug}", template: post, path: "{year}/{month}/{slug}", default_status: published, taxonomies: [categories, tags], map: { autor: author }, additional_fields: false, html: clean, team: null, sort: "-published_at",
           fields: { excerpt: { type: text, rules: "max:300" }, author: { type: reference, to: authors }, price: { type: number, rules: "required|min:0" } } }
roles: { translator: { extends: author, allow: ["content:write@posts"], fields: { posts: [title, body] } } }
api: { cors: { origins: ["https://example.org"] }, tokens: [{ name: ci, env: CI_TOKEN, scopes: [content:read, edit@posts], types: [posts], expires_at: 2027-01-01 }] }
server: { trust_proxy: [10.0.0.0/8, "::1"] }
`
  const { config } = load(t, text)
  t.equal(config.site.url, 'https://example.org', 'without the slash at its end')
  t.strictSame(config.types.posts?.fields.price, { type: 'number', rules: 'required|min:0' })
  t.strictSame(config.api.tokens[0]?.expires_at, '2027-01-01')
})

/** A configuration with a bucket of which one value is wrong, and its mistake. */
function inBucket(key: string, value: string, says: string): [text: string, wanted: string] {
  const right = { endpoint: 'https://s3.example', region: 'auto', bucket: 'b', access_key_id: 'k', secret_access_key: 's' }
  const lines = Object.entries({ [key]: value, ...right, [key]: value }).map(([name, text]) => `    ${name}: "${text}"\n`)
  return [`media:\n  store: s3\n  s3:\n${lines.join('')}`, `4:${key.length + 7} media.s3.${key} ${says}`]
}

const PRO = 'id: pro, name: Pro, amount: 1, interval: day'

/** A configuration with Stripe and a plan, and its mistake. */
function atStripe(plan: string, wanted: string): [text: string, wanted: string] {
  return [`billing:\n  gateway: stripe\n  stripe: { secret_key: a, webhook_secret: b }\n  plans:\n    - { ${plan} }\n`, wanted]
}

t.test('each mistake has its line and column, and a way to mend it', async (t) => {
  const cases: [text: string, wanted: string][] = [
    // Shape.
    ['site:\n  nmae: X\n', '2:3 site.nmae: there is no such key. | Did you mean "name"?'],
    [
      'features: { forms: true }\n',
      '1:13 features.forms: there is no such key. | Known keys here: api, site, sitemap, search, taxonomy, revisions, docs, auth, admin, media, menus, settings, modules, events, webhooks, audit, teams, billing, analytics, metrics. Modules are switched on by `modules: { enabled: […] }`.',
    ],
    ['sites: {}\n', '1:1 sites: there is no such key. | Did you mean "site"?'],
    ['site: { name: X }\nwholly_other: 1\n', '2:1 wholly_other: there is no such key. | Known keys here: site, server'],
    ['server:\n  port: "3000"\n', '2:9 server.port must be a whole number from 0 to 65535.'],
    ['server: { port: 70000 }\n', '1:17 server.port must be a whole number from 0 to 65535.'],
    ['site: { per_page: 0 }\n', '1:19 site.per_page must be a whole number from 1 to 1000.'],
    ['site: { feed_limit: -1 }\n', '1:21 site.feed_limit must be a whole number from 1 to 200.'],
    ['types: { posts: { per_page: 5000 } }\n', '1:29 types.posts.per_page must be a whole number from 1 to 1000 or null.'],
    [
      'server: { trust_proxy: true }\n',
      '1:24 server.trust_proxy must be false or a whole number from 1 to 20 or a list that is not empty.',
    ],
    ['server: { trust_proxy: [] }\n', '1:24 server.trust_proxy must be false or'],
    ['site: { name: "" }\n', '1:15 site.name must be a string that is not empty.'],
    ['statuses: {}\n', '1:11 statuses must be a map of keys and values that is not empty.'],
    ['features: { search: off }\n', '1:21 features.search must be true or false. | Write false.'],
    ['storage: { driver: file }\n', '1:20 storage.driver must be one of files, postgres. | Did you mean "files"?'],
    [
      'auth: { otp: { ttl: 10 } }\n',
      '1:21 auth.otp.ttl must be a string such as 30s, 10m, 12h, 90d. | Write the unit: 10s, 10m, 10h or 10d.',
    ],
    [
      'media: { max_size: 20 }\n',
      '1:20 media.max_size must be a string such as 512KiB, 20MiB. | Write the unit: 20KiB or 20MiB.',
    ],
    [
      'throttle: { api: 600 }\n',
      '1:18 throttle.api must be a string such as 600,1, off. | Write "600,1": 600 requests in a minute, or off.',
    ],
    [
      'throttle: { auth: ten }\n',
      '1:19 throttle.auth must be a string such as 600,1, off. | Write "10,1": 10 requests in a minute, or off.',
    ],
    [
      'auth: { password: { min_length: 6 } }\n',
      '1:33 auth.password.min_length must be a whole number from 8 to 128. | From 8 to 128.',
    ],
    [
      'auth: { redirects: [true] }\n',
      '1:21 auth.redirects.0 must be an address such as https://example.org. | For instance https://example.org.',
    ],
    ['media: { widths: [320, 320] }\n', '1:24 media.widths.1 is there twice: 320.'],
    ['types: { posts: { fields: { a: { rules: min:3 } } } }\n', '1:29 types.posts.fields.a: the key "type" is missing.'],
    ['types: { posts: { fields: { a: { type: txt } } } }\n', '1:40 types.posts.fields.a.type must be one of text,'],
    ['- a\n', '1:1 The configuration must be a map of keys and values.'],
    [
      'site: { nmae: X }\nserver: { prot: 1 }\ngit: 1\n',
      '1:9 site.nmae: there is no such key. | Did you mean "name"?\n2:11 server.prot: there is no such key. | Did you mean "port"?\n3:6 git must be',
    ],
    // What is of the wrong shape, and what means nothing elsewhere.
    [
      'server: { prot: 1 }\napi: { cors: { origins: ["https://example.org/"] } }\n',
      '1:11 server.prot: there is no such key. | Did you mean "port"?\n2:26 api.cors.origins.0 must be an origin',
    ],
    // YAML.
    [
      'site:\n  name: X\n  name: Y\n  url: "http://x.org"\n  url: "http://y.org"\n',
      '3:3 Map keys must be unique. | Remove one of the two.\n5:3 Map keys',
    ],
    ['site: { name: X\n', '2:1 '],
    ['site:\n  name: X\n  name: Y\n', '3:3 Map keys must be unique.'],
    ['site: !!js/function x\n', '1:7 Unresolved tag: tag:yaml.org,2002:js/function.'],
    ['site:\n  __proto__: { a: 1 }\n', '2:3 The key "__proto__" is not allowed.'],
    ['site: {}\n---\nsite: {}\n', '2:1 '],
    [`site: ${'['.repeat(900)}\n`, '1:70 It is nested more than 64 levels deep.'],
    [`x: &a 1\ny: [${'*a,'.repeat(101)}]\n`, '2:305 There are over 100 aliases.'],
    ['- a\n'.repeat(10_000), '8001:1 There is too much here for the way it is written.'],
    // Environment.
    [
      'site:\n  name: ${NOT_SET}\n',
      '2:9 site.name: the environment variable NOT_SET is not set. | Set NOT_SET, or give a default: ${NOT_SET:-…}.',
    ],
    // Meaning.
    ['site: { timezone: Vienna }\n', '1:19 site.timezone must be an IANA time zone; "Vienna" is none.'],
    ['site: { timezone: "+02:00" }\n', '1:19 site.timezone must be an IANA time zone'],
    ['git: { enabled: yes }\n', '1:17 git.enabled must be one of auto, true, false. | Write true.'],
    [
      'taxonomies: { labels: {} }\n',
      '1:15 taxonomies.labels: the key "singular" is missing. | Write `singular:` with a string that is not empty. It is: ',
    ],
    ['site: { locale: english }\n', '1:17 site.locale must be a BCP 47 language'],
    ['site: { locale: english_long_x }\n', '1:17 site.locale must be a BCP 47 language'],
    ['site: { url: "ftp://example.org" }\n', '1:14 site.url must be an address such as https://example.org.'],
    ['site: { url: "https://example.org?a=1" }\n', '1:14 site.url must be an http or https address without a query'],
    ['site: { content: ../elsewhere }\n', '1:18 site.content must be a folder inside the site'],
    ['site: { templates: /etc }\n', '1:20 site.templates must be a folder inside the site'],
    ['site: { content: _posts }\n', '1:18 site.content must not be within _posts'],
    ['site: { content: src/_drafts/en }\n', '1:18 site.content must not be within _drafts'],
    ['build: { out: content/public }\n', '1:15 build.out overlaps with site.content ("content").'],
    ['storage: { private_dir: CONTENT/p }\n', '1:25 storage.private_dir overlaps with site.content ("content").'],
    ['storage: { private_dir: cont\u200dent }\n', '1:25 storage.private_dir overlaps with site.content ("content").'],
    ['build: { out: .CMS/out }\n', '1:15 build.out overlaps with storage.private_dir (".cms").'],
    [
      'site: { content: gehe\u00efm, templates: gehei\u0308m/t }\n',
      '1:37 site.templates overlaps with site.content ("gehe\u00efm").',
    ],
    ['storage: { private_dir: static }\n', '1:25 storage.private_dir overlaps with static, whose files are public as they lie.'],
    ['storage: { private_dir: Static/p }\n', '1:25 storage.private_dir overlaps with static'],
    ['build: { out: static }\n', '1:15 build.out overlaps with static'],
    ['site: { content: static/content }\n', '1:18 site.content overlaps with static'],
    ['storage: { private_dir: GIT~1 }\n', '1:25 storage.private_dir must be a folder inside the site'],
    ['server: { trust_proxy: [10.0.0.0/99] }\n', '1:25 server.trust_proxy.0 must be an address or a CIDR block'],
    ['auth: { session: { idle: 2d } }\n', '1:26 auth.session.idle must not be longer than auth.session.max (12h).'],
    ['auth: { otp: { ttl: 0m } }\n', '1:21 auth.otp.ttl must be more than nothing.'],
    ['auth: { otp: { ttl: 11m } }\n', '1:21 auth.otp.ttl must be at most 10m.'],
    [
      'auth: { methods: [] }\n',
      '1:18 auth.methods is empty, and there are no providers: nobody could sign in. | Name one of otp',
    ],
    ['git: { pull: 0s }\n', '1:14 git.pull must be more than nothing. | Write off to switch it off.'],
    ['media: { max_size: 0B }\n', '1:20 media.max_size must be more than nothing.'],
    ['storage: { driver: postgres, url: "mysql://ann:s3cr3t@x" }\n', '1:35 storage.url must be the address of a PostgreSQL'],
    [
      'storage: { driver: postgres, url: "postgres://ann:s3c/r3t@x:1/" }\n',
      '1:35 storage.url must be the address of a PostgreSQL',
    ],
    ['types: { search: {} }\n', '1:10 types.search: the name is reserved.'],
    ['types: { menus: {} }\n', '1:10 types.menus: the name is reserved.'],
    ['types: { .hidden: {} }\n', '1:10 types..hidden: the name is no folder of the content.'],
    [
      'types: { posts: { permalink: "blog/{slug}" } }\n',
      '1:30 types.posts.permalink must begin with "/". | Write "/blog/{slug}".',
    ],
    [
      'types: { posts: { permalink: "/{slgu}" } }\n',
      '1:30 types.posts.permalink has the unknown placeholder "{slgu}". | Did you mean "{slug}"?',
    ],
    [
      'types: { posts: { permalink: "/api/{slug}" } }\n',
      '1:30 types.posts.permalink leads to an address that belongs to Quire itself.',
    ],
    ['types: { posts: { path: "../{slug}" } }\n', '1:25 types.posts.path has a part that begins with a dot'],
    ['types: { posts: { path: "{id}" } }\n', '1:25 types.posts.path has the unknown placeholder "{id}".'],
    [
      'types: { posts: { default_status: publishd } }\n',
      '1:35 types.posts.default_status names the status "publishd", which is not there. | Did you mean "published"?',
    ],
    [
      'types: { posts: { taxonomies: [tag] } }\n',
      '1:32 types.posts.taxonomies.0 names the taxonomy "tag", which is not there. | Did you mean "tags"?',
    ],
    [
      'types: { posts: { sort: -pubished_at, fields: { a: { type: text } } } }\n',
      '1:25 types.posts.sort names the field "pubished_at", which is not there. | Did you mean "published_at"?',
    ],
    ['types: { posts: { map: { x: id } } }\n', '1:29 types.posts.map.x can\'t be "id"'],
    ['types: { posts: { map: { x: draft } } }\n', '1:29 types.posts.map.x can\'t be "draft"'],
    ['types: { posts: { map: { x: publishDate } } }\n', '1:29 types.posts.map.x can\'t be "publishDate"'],
    [
      'types: { posts: { fields: { published: { type: date } }, map: { x: published } } }\n',
      '1:68 types.posts.map.x can\'t be "pub',
    ],
    ['types: { posts: { map: { x: ExpiryDate } } }\n', '1:29 types.posts.map.x can\'t be "ExpiryDate"'],
    [
      'types: { posts: { fields: { a: { type: reference } } } }\n',
      '1:29 types.posts.fields.a: a reference needs the type it points to.',
    ],
    [
      'types: { posts: { fields: { a: { type: text, to: posts } } } }\n',
      '1:46 types.posts.fields.a.to: only a field of the type reference',
    ],
    [
      'types: { authors: {}, posts: { fields: { a: { type: reference, to: author } } } }\n',
      '1:68 types.posts.fields.a.to names the type "author", which is not there. | Did you mean "authors"?',
    ],
    ['types: { posts: { fields: { a: { type: select } } } }\n', '1:29 types.posts.fields.a: a select needs options.'],
    [
      'types: { posts: { fields: { a: { type: text, options: [x] } } } }\n',
      '1:46 types.posts.fields.a.options: only a field of the type select',
    ],
    [
      'types: { posts: { fields: { a: { type: text, rules: requird } } } }\n',
      '1:53 types.posts.fields.a.rules can\'t be read. There is no rule "requird". Did you mean "required"?',
    ],
    [
      'types: { posts: { fields: { a: { type: text, rules: [required, "min:x"] } } } }\n',
      '1:64 types.posts.fields.a.rules.1 can\'t be read. The rule "min" wants a number',
    ],
    [
      'types: { posts: { fields: { a: { type: integer, default: "1" } } } }\n',
      "1:58 types.posts.fields.a.default does not keep the field's own rules.",
    ],
    [
      'settings: { tagline: { type: text } }\n',
      '1:13 settings.tagline: the name is not a group and a name with a dot between, such as shop.currency',
    ],
    [
      'settings: { sitetagline: { type: text } }\n',
      '1:13 settings.sitetagline: the name is not a group and a name with a dot between, such as shop.currency: letters (small ones in the group), digits, _ and -. | Did you mean "site.tagline"?',
    ],
    ['settings: { Shop.x: { type: text } }\n', '1:13 settings.Shop.x: the name is not a group and a name'],
    ['settings: { shop.body: { type: text } }\n', '1:13 settings.shop.body: the name has a part that is taken.'],
    ['settings: { settings.x: { type: text } }\n', '1:13 settings.settings.x: the name has a part that is taken.'],
    ['settings: { shop.x: { type: txt } }\n', '1:29 settings.shop.x.type must be one of text, markdown'],
    [
      'settings: { shop.x: { type: text, publik: true } }\n',
      '1:35 settings.shop.x.publik: there is no such key. | Did you mean "public"?',
    ],
    ['settings: { shop.x: { type: text, public: yes please } }\n', '1:43 settings.shop.x.public must be true or false.'],
    [
      'settings: { shop.x: { type: integer, default: "1" } }\n',
      "1:47 settings.shop.x.default does not keep the field's own rules.",
    ],
    ['settings: { shop.x: { type: reference } }\n', '1:13 settings.shop.x: a reference needs the type it points to.'],
    [
      'settings: { shop.x: { type: text, rules: "unique:posts" } }\n',
      '1:42 settings.shop.x.rules has the rule "unique", which is for fields of a record, not for a setting.',
    ],
    [
      'settings: { shop.x: { type: text, default: AKIAIOSFODNN7EXAMPLE } }\n',
      '1:44 settings.shop.x.default is a key of AWS. | A setting is no place for secrets.',
    ],
    ['setings: { shop.x: { type: text } }\n', '1:1 setings: there is no such key. | Did you mean "settings"?'],
    [
      'types: { posts: { fields: { a: { type: text, of: { type: text } } } } }\n',
      '1:46 types.posts.fields.a.of: only a field of the type list says what its items are.',
    ],
    [
      'types: { posts: { fields: { a: { type: list, fields: { b: { type: text } } } } } }\n',
      '1:46 types.posts.fields.a.fields: only a field of the type object has fields. | Write `of: { type: object, fields: … }`.',
    ],
    [
      'types: { posts: { fields: { a: { type: list, fields: { } } } } }\n',
      '1:54 types.posts.fields.a.fields must be a map of keys and values that is not empty.',
    ],
    [
      'types: { posts: { fields: { a: { type: text, multiple: true } } } }\n',
      '1:46 types.posts.fields.a.multiple: only a field of the type select, reference or media can be a list of values. | Write `type: list` and `of: { type: text }`.',
    ],
    [
      'types: { posts: { fields: { a: { type: text, accept: [image] } } } }\n',
      '1:46 types.posts.fields.a.accept: only a field of the type media takes files.',
    ],
    [
      'types: { posts: { fields: { a: { type: media, accept: [imgae] } } } }\n',
      '1:56 types.posts.fields.a.accept.0 must be one of image, video, audio, document, jpeg, png, gif, webp, avif, pdf, mp4, webm, mp3, txt, csv. | Did you mean "image"?',
    ],
    [
      'types: { posts: { fields: { a: { type: list, of: { type: text, lable: x } } } } }\n',
      '1:64 types.posts.fields.a.of.lable: there is no such key. | Did you mean "label"?',
    ],
    [
      'types: { posts: { fields: { a: { type: list, of: { type: txt } } } } }\n',
      '1:58 types.posts.fields.a.of.type must be one of text,',
    ],
    [
      'types: { posts: { fields: { a: { type: object, fields: { b: { type: list, of: { type: reference, to: psots } } } } } } }\n',
      '1:102 types.posts.fields.a.fields.b.of.to names the type "psots", which is not there. | Did you mean "posts"?',
    ],
    [
      'types: { posts: { fields: { a: { type: object, fields: { b: { type: reference } } } } } }\n',
      '1:58 types.posts.fields.a.fields.b: a reference needs the type it points to.',
    ],
    [
      'types: { posts: { fields: { a: { type: object, fields: { b: { type: text, rules: requird } } } } } }\n',
      '1:82 types.posts.fields.a.fields.b.rules can\'t be read. There is no rule "requird". Did you mean "required"?',
    ],
    [
      'types: { posts: { fields: { a: { type: list, of: { type: text, rules: "min:1|unique:posts" } } } } }\n',
      '1:71 types.posts.fields.a.of.rules has the rule "unique", which is for fields of a record',
    ],
    [
      'types: { posts: { fields: { a: { type: object, fields: { b c: { type: text } } } } } }\n',
      '1:58 types.posts.fields.a.fields.b c: a field is named with letters',
    ],
    [
      'types: { posts: { fields: { a: { type: list, of: { type: integer }, default: [1, x] } } } }\n',
      "1:78 types.posts.fields.a.default does not keep the field's own rules. The a.1 must be an integer.",
    ],
    [
      'types: { posts: { fields: { a: { type: object, fields: { b: { type: integer, default: x } } } } } }\n',
      "1:87 types.posts.fields.a.fields.b.default does not keep the field's own rules. The b must be an integer.",
    ],
    [
      'types: { posts: { columns: [title, titel], fields: { a: { type: text } } } }\n',
      '1:36 types.posts.columns.1 names the field "titel", which is not there. | Did you mean "title"?',
    ],
    ['site: &s { name: *s }\n', '1:18 "*s" stands within what it means, which would have no end. | Write out what is meant.'],
    ['types: { posts: { fields: &f { a: { type: object, fields: *f } } } }\n', '1:59 "*f" stands within what it means'],
    ['types: { posts: { columns: [title, title] } }\n', '1:36 types.posts.columns.1 is there twice'],
    ['types: { posts: { fields: { id: { type: text } } } }\n', '1:29 types.posts.fields.id: Quire computes this field itself'],
    ['types: { posts: { fields: { tags: { type: list } } } }\n', '1:29 types.posts.fields.tags: this is a taxonomy of the type'],
    [
      'statuses: { draft: { to: [publishd] }, published: { live: true } }\n',
      '1:27 statuses.draft.to.0 names the status "publishd", which is not there. | Did you mean "published"?',
    ],
    ['statuses: { draft: {} }\n', '1:1 statuses: none of them is live.'],
    ['statuses: { published: { live: true } }\n', '1:1 statuses: "draft" must be there and not live'],
    ['statuses: { draft: {}, scheduled: { live: true } }\n', '1:24 statuses.scheduled is what the clock makes of a live status'],
    [
      'taxonomies: { api: { singular: apis } }\n',
      '1:15 taxonomies.api: the name is the first part of addresses that belong to Quire itself.',
    ],
    [
      'taxonomies: { tags: { singular: tag }, topics: { singular: tag } }\n',
      '1:40 taxonomies.topics: "tag" is a name of tags too.',
    ],
    ['roles: { admin: { extends: viewer } }\n', '1:10 roles.admin is a built-in role'],
    [
      'roles: { helper: { extends: editr } }\n',
      '1:29 roles.helper.extends names the role "editr", which is not there. | Did you mean "editor"?',
    ],
    [
      'roles: { a: { extends: b }, b: { extends: a } }\n',
      '1:24 roles.a.extends leads back to the role itself. | \n1:43 roles.b.extends leads back to the role itself.',
    ],
    [
      'roles: { a: { extends: author, allow: [content:rite] } }\n',
      '1:40 roles.a.allow.0 names the scope "content:rite", which is not there. | Did you mean "content:write"?',
    ],
    [
      'types: { posts: { fields: { subtitle: { type: text } } } }\nroles:\n  a:\n    extends: author\n    fields: { posts: [subtitle, titel] }\n',
      '5:33 roles.a.fields.posts.1 names the field "titel", which is not there. | Did you mean "title"?',
    ],
    [
      'types: { posts: { taxonomies: [tags], additional_fields: false } }\nroles: { a: { extends: author, fields: { posts: [tags, categories] } } }\n',
      '2:56 roles.a.fields.posts.1 names the field "categories", which is not there. | There are: title',
    ],
    [
      'api:\n  tokens:\n    - name: ci\n      scopes: [read]\n      token: abc\n',
      `5:7 api.tokens.0.token: a token in plain text can be read by whoever reads this file. | Put it into an environment variable and write \`env: NAME\`, or write \`hash: "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"\` in its place.`,
    ],
    ['api: { tokens: [{ name: ci, scopes: [read] }] }\n', '1:17 api.tokens.0: a token has either env or hash.'],
    [
      'api: { tokens: [{ name: ci, env: A, scopes: [raed] }] }\n',
      '1:46 api.tokens.0.scopes.0 names the scope "raed", which is not there. | Did you mean "read"?',
    ],
    [
      'api: { tokens: [{ name: a, env: A, scopes: [read] }, { name: a, env: B, scopes: [read] }] }\n',
      '1:62 api.tokens.1.name is the name of another token: "a".',
    ],
    [
      'api: { tokens: [{ name: a, env: A, scopes: [read], expires_at: 2027-13-01 }] }\n',
      '1:64 api.tokens.0.expires_at must be a day or an instant',
    ],
    [
      'api: { cors: { origins: ["https://example.org/"] } }\n',
      '1:26 api.cors.origins.0 must be an origin: scheme, host, and port if it is not the usual one. | Write https://example.org.',
    ],
    [
      'auth: { providers: { x: { kind: oidc, client_id: a, client_secret: b } } }\n',
      '1:22 auth.providers.x: a provider of the kind oidc needs "issuer".',
    ],
    [
      'auth: { providers: { x: { kind: oauth2, issuer: "https://x.org", client_id: a, client_secret: b } } }\n',
      '1:22 auth.providers.x: a provider of the kind oauth2 needs "authorize_url". | \n1:22 auth.providers.x: a provider of the kind oauth2 needs "token_url". | \n1:22 auth.providers.x: a provider of the kind oauth2 needs "user_url".',
    ],
    [
      'auth: { providers: { x: { kind: oidc, issuer: "http://x.org", client_id: a, client_secret: b } } }\n',
      '1:47 auth.providers.x.issuer must be an https address. | Plain http is for',
    ],
    [
      'auth: { providers: { "a/b": { kind: oidc, issuer: "https://x.org", client_id: a, client_secret: b } } }\n',
      '1:22 auth.providers.a/b: a name here is a part of addresses',
    ],
    [
      'site: { url: "http://example.org" }\nauth: { providers: { x: { kind: oidc, issuer: "https://x.org", client_id: a, client_secret: b } } }\n',
      '1:14 site.url must be https where people sign in with providers (auth.providers). | Write the address',
    ],
    ['auth: { redirects: ["http://app.example.org/"] }\n', '1:21 auth.redirects.0 must be an https address. | Plain http is for'],
    ['auth: { redirects: ["https://a:b@app.example.org/"] }\n', '1:21 auth.redirects.0 must be an address without a name'],
    ['auth: { redirects: ["https://app.example.org/#x"] }\n', '1:21 auth.redirects.0 must be an address without a name'],
    ['media: { store: s3 }\n', '1:17 media.store is s3, but media.s3 is missing.'],
    inBucket('endpoint', 'https://a:b@s3.example', 'must be the address of a server, without a query or keys'),
    inBucket('bucket', '../x', 'must be the name of a bucket'),
    inBucket('region', 'eu 1', 'must be the name of a region, such as'),
    inBucket('access_key_id', 'k\\n', 'has a space, a line break or another character that no key has.'),
    inBucket('secret_access_key', 'hidden\\n', 'has a space, a line break or another character that no key has.'),
    [`${inBucket('bucket', 'b', '')[0]}  max_size: 5GiB\n`, '9:13 media.max_size must be at most 5GB'],
    ['billing: { gateway: stripe }\n', '1:21 billing.gateway is stripe, but billing.stripe is missing.'],
    atStripe(PRO, '5:7 billing.plans.0 "pro" has no stripe_price. | Write the id of its price'),
    atStripe(`${PRO}, stripe_price: p, trial_days: 731`, '5:84 billing.plans.0.trial_days must be at most 730'),
    atStripe(
      `${PRO}, stripe_price: p }\n    - { id: b, name: B, amount: 1, interval: day, stripe_price: p`,
      '6:65 billing.plans.1.stripe_price is the price of another plan',
    ),
    [
      'billing: { gateway: stripe, stripe: { secret_key: a, webhook_secret: b, api_base: "http://example.org" } }\n',
      '1:83 billing.stripe.api_base must be https, or an address of this machine',
    ],
    ['features: { billing: true }\nbilling: { currency: eux }\n', '2:22 billing.currency is no currency of ISO 4217: "eux".'],
    ['billing: { tax_percent: 101 }\n', '1:25 billing.tax_percent must be'],
    [
      'billing: { plans: [{ id: a, name: A, amount: 1.5, interval: month }] }\n',
      '1:46 billing.plans.0.amount must be a whole number',
    ],
  ]
  for (const [text, wanted] of cases) {
    const got = mistake(t, text)
    t.ok(got.startsWith(wanted), `${JSON.stringify(text.slice(0, 90))} → ${got}`, { wanted, got })
  }
  t.throws(() => loadConfig(binarySite(t), {}), { message: /not UTF-8/, line: 1, column: 1 })
})

t.test('a role may write any field that its type can have', async (t) => {
  const roles = (fields: string) => `roles: { a: { extends: author, fields: { ${fields} } } }\n`
  const standard = '[title, slug, status, body, author, categories, tags, published_at, expires_at, permalink, own, note]'
  const declared = 'types: { posts: { fields: { note: { type: text } } }, notes: { additional_fields: true } }\n'
  const { config } = load(t, declared + roles(`posts: ${standard}, notes: [anything], letters: [anything]`))
  t.equal(config.roles.a?.fields.posts?.length, 12)
})

t.test('a site needs no way to sign in where nobody does, or where providers are', async (t) => {
  t.equal(mistake(t, 'features: { auth: false }\nauth: { methods: [] }\n'), 'no mistake')
  const provider = 'x: { kind: oidc, issuer: "https://x.org", client_id: a, client_secret: b }'
  t.equal(mistake(t, `auth: { methods: [], providers: { ${provider} } }\n`), 'no mistake')
})

t.test('a configuration that is not read says so', async (t) => {
  const root = site(t)
  writeFileSync(join(root, 'cms.config.yml'), 'site: { name: X }\n')
  t.strictSame(loadConfig(root, {}).warnings, ['cms.config.yml:1:1: this file is not read. Rename it to cms.config.yaml.'])
  mkdirSync(join(root, 'cms.config.yaml'))
  t.throws(() => loadConfig(root, {}), { message: /can't be read/, file: 'cms.config.yaml', exit: 3 })
})

function binarySite(test: Test): string {
  const root = site(test)
  writeFileSync(join(root, 'cms.config.yaml'), Buffer.from([0x73, 0xff, 0xfe]))
  return root
}

t.test('a reference may point to a folder that is not declared', async (t) => {
  const text = 'types: { posts: { fields: { a: { type: reference, to: writers } } } }\n'
  t.equal(mistake(t, text, {}, ['content/writers']), 'no mistake')
  t.equal(
    mistake(t, text, {}, ['content/writer']),
    '1:55 types.posts.fields.a.to names the type "writers", which is not there. | Did you mean "writer"?',
  )
  t.equal(mistake(t, text), 'no mistake', 'the folder may come later')
})

t.test('variables', async (t) => {
  const text = 'site: { name: "${A}-${B:-b}", locale: "${L:-en}" }\nserver: { port: "${PORT}", trust_proxy: "${HOPS:-false}" }\n'
  const { config } = load(t, text, { A: 'a', PORT: '8080', L: '' })
  t.equal(config.site.name, 'a-b')
  t.equal(config.site.locale, 'en', 'an empty one counts as not set where there is a default')
  t.equal(config.server.port, 8080, 'a number where a number is wanted')
  t.equal(config.server.trust_proxy, false)
  t.equal(load(t, text, { A: '${B}', PORT: '1' }).config.site.name, '${B}-b', 'a value is not looked into again')
  t.equal(
    load(t, 'mail: { smtp: { host: h, password: "${P}" } }\n', { P: '12345' }).config.mail.smtp?.password,
    '12345',
    'a string stays one',
  )
  t.equal(
    load(t, 'storage: { url: "${DATABASE_URL}" }\n').config.storage.driver,
    'files',
    'the address of a database that is not used is not needed',
  )
  t.match(mistake(t, 'server: { port: "${PORT}" }\n', { PORT: 'x' }), '1:17 server.port must be a whole number')
})

t.test('a site in a database says where it is, and with what its keys are sealed', async (t) => {
  const address = 'postgres://ann:s3cr3t@127.0.0.1/site'
  const where = 'storage: { driver: postgres }\n'
  t.equal(load(t, where, { DATABASE_URL: address }).config.storage.url, address, 'by default in DATABASE_URL')
  t.equal(
    load(t, 'storage: { driver: "${KEPT_IN}", url: "${PLACE}" }\n', { KEPT_IN: 'postgres', PLACE: address }).config.storage.url,
    address,
  )
  t.match(mistake(t, where), '1:1 storage.url: the environment variable DATABASE_URL is not set. | Set DATABASE_URL')
  t.match(mistake(t, 'storage: { driver: postgres, url: "${DATABASE_URL}" }\n'), '1:35 storage.url: the environment variable')
  t.match(mistake(t, where, { DATABASE_URL: '' }), '1:1 storage.url must be the address of a PostgreSQL database.')
  t.notMatch(mistake(t, where, { DATABASE_URL: 'mysql://ann:s3cr3t@x' }), 's3cr3t', 'a password is in no message')

  const root = site(t, 'storage: { url: "${PLACE}" }\n')
  t.match(
    loadConfig(root, { PLACE: address }, 'postgres').config.storage,
    { driver: 'postgres', url: address },
    'a site that moves',
  )
  t.equal(loadConfig(root, {}).config.storage.driver, 'files')

  const idle = 'storage: { driver: postgres }\ngit: { pull: 60s, push: off, branch: null, author: { name: Ann } }\n'
  t.strictSame(load(t, idle, { DATABASE_URL: address }).warnings, [
    'cms.config.yaml:2:8: git.pull has no effect: the records are in a database.',
  ])

  t.equal(secretOf({ CMS_SECRET: 'x'.repeat(32) }), 'x'.repeat(32))
  for (const env of [{}, { CMS_SECRET: '' }, { CMS_SECRET: 'tooshort' }]) {
    const message = messageOf(() => secretOf(env))
    t.match(message, /CMS_SECRET .*openssl rand -base64 32/s)
    t.notMatch(message, 'tooshort')
  }
})

t.test('a bucket that nothing is kept in is warned of', async (t) => {
  const [text] = inBucket('bucket', 'b', '')
  t.strictSame(load(t, text).warnings, [])
  t.strictSame(load(t, text.replace('store: s3', 'store: auto')).warnings, [
    'cms.config.yaml:3:3: media.s3 has no effect: media.store is not s3.',
  ])
})

t.test('where media are kept otherwise than a setting says, it is warned of', async (t) => {
  const warned = (text: string) => load(t, text, { DATABASE_URL: 'postgres://127.0.0.1/x' }).warnings
  const database = 'storage: { driver: postgres }\n'
  const at = (place: string, path: string, why: string) => [`cms.config.yaml:${place}: ${path} has no effect: ${why}.`]
  const inDatabase = 'the records are in a database, and files of media in its table'
  t.strictSame(warned(`${database}media: { store: folder }\n`), at('2:10', 'media.store', inDatabase))
  t.strictSame(
    warned('media: { store: table }\n'),
    at('1:10', 'media.store', 'the records are files, and files of media in folders'),
  )
  t.strictSame(warned(`${database}media: { store: table }\n`), [])
  t.strictSame(warned('media: { store: folder, git_max: 2MiB }\n'), [])
  t.strictSame(
    warned(`${database}media: { git_max: 2MiB }\n`),
    at('2:10', 'media.git_max', 'files of media are in the table of a database'),
  )
  const [text] = inBucket('bucket', 'b', '')
  t.strictSame(
    load(t, text.replace('store: s3', 'store: s3\n  git_max: 2MiB')).warnings,
    at('3:3', 'media.git_max', 'files of media are in a bucket'),
  )
})

t.test('a folder that is a link to a place outside of the site, or to a hidden one, is refused', async (t) => {
  const outside = folder(t)
  for (const name of ['content', 'templates']) {
    const root = site(t, `site: { ${name}: ${name} }\nstorage: { private_dir: kept }\n`, ['releases/1', '.git', 'kept/users'])
    const link = join(root, name)
    for (const to of [outside, '..', '../..', '.git', '.', 'kept', 'kept/users', 'releases/../kept']) {
      symlinkSync(to, link)
      t.match(
        messageOf(() => loadConfig(root, {})),
        new RegExp(`site.${name} is "${name}", a link that leads out of the site`),
        to,
      )
      unlinkSync(link)
    }
    symlinkSync('releases/1', link)
    t.equal(loadConfig(root, {}).root, root, 'one within the site is followed')
    unlinkSync(link)
    symlinkSync('nowhere', link)
    t.equal(loadConfig(root, {}).root, root)
  }
  const root = site(t, 'site: { content: a/b }\n', [])
  mkdirSync(join(outside, 'b'))
  symlinkSync(outside, join(root, 'a'))
  t.match(
    messageOf(() => loadConfig(root, {})),
    /leads out/,
    'by a folder above it',
  )
  symlinkSync(site(t), join(outside, 'site'))
  t.ok(loadConfig(join(outside, 'site'), {}), 'the site itself may be reached by a link')
})

t.test('the schema for editors is the definition', async (t) => {
  const shipped = JSON.parse(readFileSync('schema/cms.config.schema.json', 'utf8'))
  t.strictSame(shipped, JSON.parse(JSON.stringify(configSchema)), 'run `npm run schema`')
  const undescribed: string[] = []
  const walk = (node: Record<string, unknown>, path: string): void => {
    for (const [key, child] of Object.entries((node.properties ?? {}) as Record<string, Record<string, unknown>>)) {
      if (typeof child.description !== 'string') undescribed.push(`${path}.${key}`)
      walk(child, `${path}.${key}`)
    }
    for (const child of [node.items, node.additionalProperties])
      if (typeof child === 'object') walk(child as Record<string, unknown>, path)
  }
  walk(shipped, '')
  for (const [name, definition] of Object.entries(shipped.definitions)) walk(definition as Record<string, unknown>, name)
  t.strictSame(undescribed, [], 'every key says what it is for')
})

longTest('our reading of the schema is a standard validator’s', async (t) => {
  const ajv = new Ajv({ allErrors: true, useDefaults: true, strict: false }).compile(schema as object)
  const names = [
    'site',
    'server',
    'port',
    'types',
    'posts',
    'fields',
    'a',
    'type',
    'rules',
    'of',
    'multiple',
    'accept',
    'columns',
    'name',
    'trust_proxy',
    'media',
    'widths',
    'throttle',
    'api',
  ]
  const leaf = fc.oneof(
    fc.constantFrom('text', 'off', '600,1', '10m', '20MiB', 'https://a.b', '', true, false, 0, 1, 3000, 1.5, -1),
    fc.constantFrom('reference', 'files', 'list', 'image', 'x'),
  )
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      leaf,
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('node'), { maxKeys: 4 }),
    ),
  })).node
  const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 5 })
  const property = fc.property(path, tree, fc.boolean(), (keys, value, whole) => {
    const made = whole ? value : keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
    const ours = structuredClone(made)
    const theirs = structuredClone(made)
    const faults = shapeFaults(ours, schema)
    const valid = ajv(theirs)
    return (faults.length === 0) === valid && (!valid || JSON.stringify(sorted(ours)) === JSON.stringify(sorted(theirs)))
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }))
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  )
}

t.test('durations and sizes', async (t) => {
  t.equal(parseDuration('90d'), 90 * 86_400_000)
  t.equal(parseDuration('30s'), 30_000)
  for (const wrong of ['', '10', '10 m', 'm', '-1s', '1.5h', '10M', '1h,', ' 1h', '1w', '5ms', '1h 30m', '1234567890s'])
    t.equal(parseDuration(wrong), undefined, wrong)
  t.equal(parseSize('20MiB'), 20 * 1024 * 1024)
  t.equal(parseSize('20 MB'), 20_000_000)
  for (const wrong of ['', '20', '20M', 'MiB', '-1B', '1.5MiB']) t.equal(parseSize(wrong), undefined, wrong)
  const product = fc.property(
    fc.nat(999_999_999),
    fc.constantFrom(['s', 1], ['m', 60], ['h', 3600], ['d', 86_400]),
    (n, [unit, seconds]) => {
      return parseDuration(`${n}${unit}`) === n * Number(seconds) * 1000
    },
  )
  t.doesNotThrow(() => fc.assert(product))
  t.doesNotThrow(() =>
    fc.assert(fc.property(fc.integer(), (n) => parseDuration(String(n)) === undefined && parseSize(String(n)) === undefined)),
  )
})

t.test('the nearest word', async (t) => {
  t.equal(nearest('titel', ['title', 'slug']), 'title')
  t.equal(nearest('Titel', ['title']), 'title')
  t.equal(nearest('pubished_at', ['updated_at', 'published_at']), 'published_at')
  t.equal(nearest('zzz', ['title', 'slug']), undefined)
  t.equal(nearest('x'.repeat(100_000), ['title']), undefined)
  t.equal(distance('abcd', 'abdc'), 1, 'a swap is one slip')
  const word = fc.string({ maxLength: 12 })
  t.doesNotThrow(() => fc.assert(fc.property(word, word, (a, b) => distance(a, b) === distance(b, a))))
  t.doesNotThrow(() => fc.assert(fc.property(word, (a) => distance(a, a) === 0)))
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        word,
        word,
        (a, b) => distance(a, b) >= Math.abs(a.length - b.length) && distance(a, b) <= Math.max(a.length, b.length),
      ),
    ),
  )
  const slip = fc.property(
    fc.stringMatching(/^[a-z]{5,12}$/),
    fc.nat(11),
    (known, at) => nearest(known.slice(0, at % known.length) + known.slice((at % known.length) + 1), [known]) === known,
  )
  t.doesNotThrow(() => fc.assert(slip))
})

t.test('what authors of modules import is what is in src/module', async (t) => {
  const { moduleFiles } = (await import(new URL('../../schema/module-files.js', import.meta.url).href)) as {
    moduleFiles(): Map<string, string>
  }
  const shipped = new Map(readdirSync('schema/module').map((name) => [name, readFileSync(`schema/module/${name}`, 'utf8')]))
  t.strictSame(shipped, moduleFiles(), 'run `npm run schema`')
})

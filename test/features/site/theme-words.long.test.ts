import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Words } from '#features/site/theme/words.ts'
import { WORDS } from '#markdown/words.ts'
import { publicSite } from '#support/public-site.ts'
import { makeSite } from '#support/sites.ts'
import { openFiles } from '#support/stores.ts'

const SHIPPED = fileURLToPath(new URL('../../../templates/site/', import.meta.url))
const LOCALES = readdirSync(`${SHIPPED}words`).map((name) => name.replace(/\.yaml$/, ''))

t.test('each language that ships has all words, with their places, and all forms of numbers', async (t) => {
  const english = new Words([SHIPPED], SHIPPED, 'en')
  const names = [
    'skip',
    'search',
    'page_of',
    'not_here',
    'nothing_found',
    'more_results',
    'search_needs_script',
    'older',
    ...Object.keys(WORDS).map((key) => `markdown.${key}`),
  ]
  t.strictSame(english.below('markdown'), WORDS, 'English says what Markdown says by itself')
  for (const locale of LOCALES) {
    const words = new Words([SHIPPED], SHIPPED, locale)
    t.strictSame(words.faults, [])
    for (const name of names) {
      const values = { page: 2, pages: 7 }
      t.not(words.text(name, values), name, `${locale} ${name}`)
      t.equal(/\{\w+\}/.test(words.text(name, values)), false, `${locale} ${name}`)
    }
    if (locale !== 'en') t.not(words.text('not_here'), english.text('not_here'), `${locale} is a language of its own`)
    const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories
    t.strictSame(Object.keys(words.forms('pages_found')).sort(), [...forms].sort(), locale)
  }
})

t.test('a site changes words, for its language and for a region of it', async (t) => {
  const site = makeSite({
    'words/de.yaml': 'older: Früher\nown: "Von {who}"\n',
    'words/de-CH.yaml': 'newer: Heuer\n',
    'words/en.yaml': 'x: [',
  })
  t.teardown(() => site.remove())
  const words = new Words([site.root, SHIPPED], site.root, 'de-CH')
  t.strictSame(
    [words.text('older'), words.text('newer'), words.text('search'), words.text('own', { who: 'Ada' }), words.text('none')],
    ['Früher', 'Heuer', 'Suche', 'Von Ada', 'none'],
  )
  t.equal(words.text('pages_found', { count: 1 }), '1 Seite')
  t.equal(words.text('pages_found', { count: 12_345 }), "12'345 Seiten")
  t.match(words.faults, [{ file: 'words/en.yaml', line: 1 }])
  t.equal(words.text('own', { who: '{older}', older: 'x' }), 'Von {older}', 'values are no words')
})

t.test('pages are in the language of the site, and take changed words', async (t) => {
  const opened = await openFiles({
    files: {
      'content/posts/a.md': '---\ntitle: A\ndate: 2026-01-01\n---\n> [!NOTE]\n> x\n',
      'content/index.md': '---\ntitle: Home\n---\n',
    },
  })
  t.teardown(opened.close)
  const config = {
    site: { name: 'Site', url: 'https://example.org', locale: 'ar', timezone: 'UTC', content: 'content', templates: 'templates' },
    build: { base_url: null, drafts: false, future: false },
    features: { sitemap: true, taxonomy: true, search: true },
    media: { types: [] },
  }
  const { folder, html, site } = publicSite(t, opened, true, { config })
  t.match(await html('/'), '<html lang="ar" dir="rtl">')
  t.match(await html('/nothing'), 'هذه الصفحة غير موجودة.')
  t.match(await html('/search'), 'data-found="{&#34;zero&#34;')
  t.match(await html('/posts/a'), 'ملاحظة')
  folder.write('templates/site/words/ar.yaml', 'not_here: "Not <here>"\nmarkdown:\n  note: Mark!\n')
  opened.clock.advance(2000)
  t.match(await html('/nothing'), 'Not &lt;here&gt;')
  t.match(await html('/posts/a'), 'Mark!')
  folder.write('templates/site/words/ar.yaml', 'older: [\n')
  opened.clock.advance(2000)
  const { problems } = await site.build('public')
  t.match(problems, [{ file: 'templates/site/words/ar.yaml', severity: 'error' }], 'a build names what it could not read')
})

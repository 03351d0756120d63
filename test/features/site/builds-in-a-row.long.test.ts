import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import t from 'tap'
import { FORMATS } from '#config/schema/media.ts'
import { Site } from '#features/site/site.ts'
import { TestClock } from '#support/clock.ts'
import { runsOf } from '#support/long.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { openFolder, siteFilesIn } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const TEMPLATES = fileURLToPath(new URL('../../../templates/site/', import.meta.url))
const POSTS = 8

const FILES = Object.fromEntries([...Array(POSTS).keys()].map((n) => [fileOf(n), post(n, 'a', 'A text.')]))

function fileOf(n: number): string {
  return `content/posts/p${n}.md`
}

function post(n: number, title: string, body: string, more = ''): string {
  return `---\ntitle: ${title} ${n}\ndate: 2026-01-${10 + n}\n${more}---\n${body} [Far](p${(n + POSTS / 2) % POSTS}.md).\n`
}

/** The site in a folder, as a process has it open. */
async function opened(folder: TestSite) {
  const clock = new TestClock()
  const types = plainTypes({})
  const store = await openFolder(folder, types, clock)
  const names = { name: 'S', url: 'https://example.org', locale: 'en', timezone: 'UTC' }
  const site = new Site({
    ...{ root: folder.root, store, siteFiles: siteFilesIn(folder, clock), types, clock },
    config: {
      site: { ...names, content: 'content', templates: 'templates' },
      build: { base_url: null, drafts: false, future: false },
      features: { sitemap: true, taxonomy: true, search: false },
      media: { types: FORMATS },
    },
    templatesDir: TEMPLATES,
    ownTemplatesDir: folder.path('templates/site'),
    memory: { folder: folder.path('.cms/cache'), basis: 'one' },
  })
  return {
    site,
    /** Builds as `--watch` does, after these files have changed. */
    again: (...files: readonly string[]) => {
      if (files.length > 0 && !store.lookAt(files)) throw new Error('These files are not looked at.')
      return site.build('public', { isOneOfMany: true })
    },
    close: () => {
      site.close()
      return store.close()
    },
  }
}

/** Runs with a site in a folder of its own that one process builds again and again. */
async function builtAgain(run: (folder: TestSite, process: Awaited<ReturnType<typeof opened>>) => Promise<void>) {
  const folder = makeSite(FILES)
  const process = await opened(folder)
  try {
    await process.again()
    await run(folder, process)
  } finally {
    await process.close()
    folder.remove()
  }
}

/** What another process writes and removes: by a build of its own, or in a trial. */
async function elsewhere(folder: TestSite, trial?: 'dry' | 'verify'): Promise<string[]> {
  const { site, close } = await opened(folder)
  try {
    const { changes } = await site.build('public', { trial })
    return [...changes.written, ...changes.removed, ...(changes.isListed ? ['.quire-build'] : [])]
  } finally {
    await close()
  }
}

/** Has a page of the output be another, with the same size; returns what tells if it still is. */
function edited(folder: TestSite, n: number): () => boolean {
  const path = folder.path(`public/posts/p${n}/index.html`)
  const text = readFileSync(path, 'utf8').replace('A text.', 'B text.')
  writeFileSync(path, text)
  return () => readFileSync(path, 'utf8') === text
}

const NTH = fc.nat({ max: POSTS - 1 })
const WORD = fc.constantFrom('a', 'b', 'c')
const MORE = fc.constantFrom('', 'draft: true\n', 'excerpt: Short\n', 'aliases: [/old]\n', 'slug: other\n', 'tags: [x]\n')

t.test('builds in a row leave what a build of everything leaves, and the next process has nothing to write', async (t) => {
  const change = fc.record({ n: NTH, title: WORD, body: WORD, more: MORE })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), (changes) =>
      builtAgain(async (folder, { again }) => {
        for (const { n, title, body, more } of changes) {
          folder.write(fileOf(n), post(n, title, body, more))
          await again(fileOf(n))
          t.same(await elsewhere(folder, 'verify'), [])
        }
        t.same(await elsewhere(folder), [])
      }),
    ),
    { numRuns: runsOf(10) },
  )
})

t.test('a page whose link leads elsewhere, and one that is as it was two builds ago, are made', () =>
  builtAgain(async (folder, { again }) => {
    for (const more of ['slug: other\n', '', 'slug: third\n']) {
      folder.write(fileOf(1), post(1, 'a', 'A text.', more))
      await again(fileOf(1))
      t.same(await elsewhere(folder, 'verify'), [])
    }
    t.match(readFileSync(folder.path('public/posts/p5/index.html'), 'utf8'), '/posts/third')
  }),
)

t.test('what others do to pages is not looked at between builds in a row; the next process mends it', () =>
  builtAgain(async (folder, { again }) => {
    const isStill = edited(folder, 1)
    folder.write(fileOf(5), post(5, 'a', 'Another text.'))
    await again(fileOf(5))
    t.ok(isStill())
    t.same(await elsewhere(folder), ['posts/p1/index.html'])
    t.notOk(isStill())
  }),
)

t.test('all is looked at by the first build, and where another wrote the list of the folder', async (t) => {
  await builtAgain(async (folder, { close }) => {
    await close()
    const isStill = edited(folder, 1)
    const next = await opened(folder)
    await next.again()
    t.notOk(isStill())
    await next.close()
  })
  await builtAgain(async (folder, { again }) => {
    const isStill = edited(folder, 1)
    const list = folder.path('public/.quire-build')
    writeFileSync(list, readFileSync(list))
    folder.write(fileOf(5), post(5, 'a', 'Another text.'))
    await again(fileOf(5))
    t.notOk(isStill())
  })
})

t.test('where the memory on the disk is gone or another, all is made anew', async (t) => {
  const CHANGES = [
    (folder: TestSite) => rmSync(folder.path('.cms/cache'), { recursive: true }),
    (folder: TestSite) => rmSync(folder.path('public'), { recursive: true }),
  ]
  for (const change of CHANGES) {
    await builtAgain(async (folder, { again }) => {
      change(folder)
      folder.write(fileOf(5), post(5, 'a', 'Another text.'))
      await again(fileOf(5))
      t.same(await elsewhere(folder, 'verify'), [])
      t.same(await elsewhere(folder), [])
    })
  }
})

t.test('a build that is broken off, or one of another process between two, leaves nothing wrong', () =>
  builtAgain(async (folder, { site, again }) => {
    folder.write(fileOf(5), post(5, 'a', 'Another text.'))
    const broken = () => {
      throw new Error('broken off')
    }
    await t.rejects(site.build('public', { isOneOfMany: true, onProgress: broken }), /broken off/)
    folder.write(fileOf(6), post(6, 'b', 'Another text.'))
    await again(fileOf(5), fileOf(6))
    t.same(await elsewhere(folder, 'verify'), [])
    folder.write(fileOf(2), post(2, 'c', 'A third.'))
    t.ok((await elsewhere(folder)).length > 0)
    folder.write(fileOf(3), post(3, 'c', 'A third.'))
    await again(fileOf(2), fileOf(3))
    t.same(await elsewhere(folder, 'verify'), [])
  }),
)

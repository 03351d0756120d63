import { spawn } from 'node:child_process'
import fs, {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { openRepository } from '#git/repository.ts'
import { BadConfig, Conflict, Unavailable } from '#lib/errors.ts'
import type { GitSettings } from '#stores/files/committing/settings.ts'
import { FilesStore } from '#stores/files/store.ts'
import { replaceIn } from '#support/builtins.ts'
import { TestClock } from '#support/clock.ts'
import { git, isSound, makeRepository, statusOf } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const grace = { name: 'Grace', email: 'grace@example.org' }
const key = (id: string) => keyOf('posts', id)
const put = (id: string, title: string): Change => ({ key: key(id), put: { set: { title } } })
const post = (title: string) => `---\ntitle: ${title}\n---\nText.\n`
const FILES = { 'content/posts/a.md': post('A'), 'content/posts/b.md': post('B'), 'README.md': 'Read me.\n' }

interface Opened {
  site: TestSite
  store: FilesStore
}

/** A store on a site in a repository with one commit. */
async function opened(t: Test, settings: Partial<GitSettings> = {}, files: Record<string, string> = FILES): Promise<Opened> {
  const site = makeSite(files)
  t.teardown(() => site.remove())
  makeRepository(site)
  return { site, store: await open(t, site, settings) }
}

async function open(t: Test, site: TestSite, settings: Partial<GitSettings> = {}): Promise<FilesStore> {
  const options = { ...filesOptions(site, plainTypes(), new TestClock()), git: { ...GIT, ...settings } }
  const store = await FilesStore.open(options)
  t.teardown(() => store.close())
  return store
}

type Kind = new (...args: never[]) => Error

/** Says that a write is refused, and that neither HEAD nor the working tree nor the index was touched by it. */
async function refuses(t: Test, { site, store }: Opened, change: Change, kind: Kind, says: RegExp): Promise<void> {
  const before = [git(site.root, ['rev-parse', 'HEAD']), statusOf(site), readFileSync(site.path('content/posts/a.md'), 'utf8')]
  const error = await store.write([change], grace).then(
    () => undefined,
    (thrown) => thrown,
  )
  t.ok(error instanceof kind, `${kind.name}`, { found: error })
  t.match(`${error?.message} ${error?.hint}`, says)
  const after = [git(site.root, ['rev-parse', 'HEAD']), statusOf(site), readFileSync(site.path('content/posts/a.md'), 'utf8')]
  t.same(after, before, 'nothing was touched')
}

/** The files that a commit changed. */
function filesOf(site: TestSite, commit = 'HEAD'): string[] {
  return git(site.root, ['show', '--format=', '--name-only', commit]).split('\n').filter(Boolean).sort()
}

const subjects = (site: TestSite) => git(site.root, ['log', '--format=%s']).split('\n')

t.test('a write is one commit by the acting user, and the working tree is clean', async (t) => {
  const { site, store } = await opened(t)
  await store.write([put('a', 'One')], grace)
  t.equal(
    git(site.root, ['log', '-1', '--format=%an <%ae> by %cn <%ce>']),
    'Grace <grace@example.org> by Quire <quire@localhost>',
  )
  t.match(git(site.root, ['log', '-1', '--format=%B']), /^Update posts\/a\n\nCms-Rev: \d{13}\nCms-Action: updated\n?$/)
  t.same(filesOf(site), ['content/posts/a.md'])
  t.same(statusOf(site), [])
  t.equal(
    git(site.root, ['diff', '-U0', 'HEAD~1'])
      .split('\n')
      .filter((line) => /^[+-][^+-]/.test(line)).length,
    2,
    'one line',
  )
  await Promise.all(Array.from({ length: 30 }, (_, n) => store.write([put(`n${n}`, `N ${n}`)], grace)))
  t.equal(git(site.root, ['rev-list', '--count', 'HEAD']), '32', 'one commit each, together or not')
  t.same(statusOf(site), [])
  await store.write([put('a', 'All'), put('b', 'All'), { key: key('n1'), remove: true }], grace)
  t.same(filesOf(site), ['content/posts/a.md', 'content/posts/b.md', 'content/posts/n1.md'], 'a batch is one commit')
  const before = git(site.root, ['rev-parse', 'HEAD'])
  await store.write([put('a', 'All')], grace)
  t.equal(git(site.root, ['rev-parse', 'HEAD']), before, 'what changes nothing is no commit')
  t.ok(isSound(site))
})

t.test("an author's work on other files is left as it is", async (t) => {
  const { site, store } = await opened(t)
  site.write('README.md', 'Staged.\n')
  git(site.root, ['add', 'README.md'])
  site.write('README.md', 'Staged, and edited further.\n')
  site.write('content/posts/b.md', post('B by hand'))
  site.write('new.txt', 'Untracked.\n')
  site.write('staged.txt', 'New and staged.\n')
  git(site.root, ['add', 'staged.txt'])
  const before = statusOf(site)
  await store.write([put('a', 'One')], grace)
  await store.write([put('c', 'New')], grace)
  t.same(statusOf(site), before)
  t.same(filesOf(site, 'HEAD~1'), ['content/posts/a.md'])
  t.equal(git(site.root, ['show', ':README.md']), 'Staged.')
  t.match(readFileSync(site.path('content/posts/b.md'), 'utf8'), 'B by hand')
})

t.test('an unsaved edit of the same file is committed first, as its author’s', async (t) => {
  const { site, store } = await opened(t)
  git(site.root, ['config', 'user.name', 'Local'])
  git(site.root, ['config', 'user.email', 'local@example.org'])
  site.write('content/posts/a.md', `${post('A')}More, by hand.\n`)
  await store.write([put('a', 'Two')], grace)
  t.same(git(site.root, ['log', '-2', '--format=%an: %s']).split('\n'), [
    'Grace: Update posts/a',
    'Local: Keep local edit of content/posts/a.md',
  ])
  t.match(git(site.root, ['log', '-1', '--format=%B', 'HEAD~1']), 'Cms-Action: external')
  t.equal(git(site.root, ['show', 'HEAD~1:content/posts/a.md']), `${post('A')}More, by hand.`)
  t.equal(readFileSync(site.path('content/posts/a.md'), 'utf8'), '---\ntitle: Two\n---\nText.\nMore, by hand.\n')
  t.same(statusOf(site), [])
  site.write('content/posts/new.md', post('Never committed'))
  await store.write([{ key: key('new'), remove: true }], grace)
  t.equal(git(site.root, ['show', 'HEAD~1:content/posts/new.md']), post('Never committed').trimEnd(), 'before a deletion, too')
  site.write('content/posts/b.md', post('Staged whole'))
  git(site.root, ['add', '.'])
  await store.write([put('b', 'Three')], grace)
  t.equal(git(site.root, ['show', 'HEAD~1:content/posts/b.md']), post('Staged whole').trimEnd())
  t.same(statusOf(site), [])
})

t.test('an unsaved edit of the same file is refused where the site wishes so', async (t) => {
  const opened_ = await opened(t, { local_edits: 'refuse' })
  opened_.site.write('content/posts/a.md', post('By hand'))
  await refuses(t, opened_, put('a', 'Two'), Conflict, /edited in the folder and not committed.*git add content\/posts\/a\.md/)
  await opened_.store.write([put('b', 'Others are not')], grace)
})

t.test('what was staged and then edited further is refused always', async (t) => {
  const opened_ = await opened(t)
  const { site } = opened_
  site.write('content/posts/a.md', post('Staged'))
  git(site.root, ['add', '.'])
  site.write('content/posts/a.md', post('Further'))
  await refuses(t, opened_, put('a', 'Two'), Conflict, /staged and then edited further/)
  site.write('content/posts/a.md', post('A'))
  await refuses(t, opened_, put('a', 'Two'), Conflict, /staged and then edited further/)
  site.write('content/posts/a.md', post('Staged'))
  rmSync(site.path('content/posts/a.md'))
  site.write('content/posts/a.md', post('Staged'))
  await opened_.store.write([put('a', 'Two')], grace)
  t.same(statusOf(site), [])
})

t.test('a removal that is not committed is overwritten by a save', async (t) => {
  const { site, store } = await opened(t)
  rmSync(site.path('content/posts/a.md'))
  await store.write([put('a', 'Again')], grace)
  git(site.root, ['rm', '-q', 'content/posts/b.md'])
  await store.write([put('b', 'Again')], grace)
  t.same(statusOf(site), [])
  t.same(filesOf(site), ['content/posts/b.md'])
})

t.test('another git that holds the index is waited for, and never pushed aside', async (t) => {
  const opened_ = await opened(t)
  const { site, store } = opened_
  const lock = site.path('.git/index.lock')
  writeFileSync(lock, '')
  await refuses(t, opened_, put('a', 'Two'), Unavailable, /Another git command.*index\.lock/)
  t.ok(existsSync(lock), 'its lock stays')
  let ended = false
  const written = store.write([put('a', 'Two')], grace).then(() => {
    ended = true
  })
  await store.get(key('a'))
  t.equal(ended, false)
  rmSync(lock)
  await written
  t.same(statusOf(site), [])
})

const BUSY: readonly [string, (site: TestSite) => void, (site: TestSite) => void][] = [
  [
    'merge',
    (site) => git(site.root, ['merge', '--no-commit', '--no-ff', 'other']),
    (site) => git(site.root, ['merge', '--abort']),
  ],
  ['rebase', (site) => fails(site, ['rebase', 'clash']), (site) => git(site.root, ['rebase', '--abort'])],
  ['cherry-pick', (site) => fails(site, ['cherry-pick', 'clash']), (site) => git(site.root, ['cherry-pick', '--abort'])],
  ['revert', (site) => git(site.root, ['revert', '--no-commit', 'HEAD']), (site) => git(site.root, ['revert', '--abort'])],
  ['bisect', (site) => git(site.root, ['bisect', 'start']), (site) => git(site.root, ['bisect', 'reset'])],
]

function fails(site: TestSite, args: readonly string[]): void {
  try {
    git(site.root, args)
  } catch {
    return
  }
  throw new Error(`git ${args.join(' ')} was to stop in the middle.`)
}

/** A branch `other` that merges, and a branch `clash` that does not. */
function branches(site: TestSite): void {
  for (const [name, path, text] of [
    ['other', 'content/posts/b.md', post('Other')],
    ['clash', 'README.md', 'Clash.\n'],
  ] as const) {
    git(site.root, ['switch', '-q', '-c', name, 'main'])
    site.write(path, text)
    git(site.root, ['commit', '-qam', name])
  }
  git(site.root, ['switch', '-q', 'main'])
  site.write('README.md', 'Ours.\n')
  git(site.root, ['commit', '-qam', 'ours'])
}

for (const [name, begin, end] of BUSY) {
  t.test(`while a ${name} is in progress nothing is saved, and reads go on`, async (t) => {
    const opened_ = await opened(t)
    branches(opened_.site)
    begin(opened_.site)
    await refuses(t, opened_, put('a', 'Two'), Unavailable, new RegExp(`A ${name}.* in progress`))
    t.equal((await opened_.store.get(key('a')))?.fields.title, 'A')
    end(opened_.site)
    await opened_.store.write([put('a', 'Two')], grace)
    t.same(filesOf(opened_.site), ['content/posts/a.md'])
    t.ok(isSound(opened_.site))
  })
}

t.test('a pull with a conflict holds writes up while it lasts', async (t) => {
  const opened_ = await opened(t)
  branches(opened_.site)
  fails(opened_.site, ['pull', '-q', '--no-rebase', '.', 'clash'])
  await refuses(t, opened_, put('a', 'Two'), Unavailable, /A merge is in progress/)
  git(opened_.site.root, ['merge', '--abort'])
  await opened_.store.write([put('a', 'Two')], grace)
})

t.test('with HEAD detached nothing is saved, until it is on a branch again', async (t) => {
  const opened_ = await opened(t)
  git(opened_.site.root, ['checkout', '-q', '--detach'])
  await refuses(t, opened_, put('a', 'Two'), Unavailable, /on no branch.*git switch/)
  t.equal((await opened_.store.get(key('a')))?.fields.title, 'A')
  git(opened_.site.root, ['switch', '-q', 'main'])
  await opened_.store.write([put('a', 'Two')], grace)
})

t.test('a branch that is switched to is followed, unless the site names its own', async (t) => {
  const { site, store } = await opened(t)
  await store.write([put('a', 'On main')], grace)
  git(site.root, ['switch', '-q', '-c', 'draft'])
  await store.write([put('a', 'On draft')], grace)
  t.same(subjects(site), ['Update posts/a', 'Update posts/a', 'Begin'])
  git(site.root, ['switch', '-q', 'main'])
  await store.reconcile()
  t.equal((await store.get(key('a')))?.fields.title, 'On main')
  await store.write([put('a', 'On main again')], grace)
  t.equal(git(site.root, ['rev-list', '--count', 'draft..main']), '1')
  const named = await open(t, site, { branch: 'draft' })
  await refuses(t, { site, store: named }, put('a', 'Two'), Unavailable, /on the branch main, and saves go to draft only/)
})

t.test('the first commit of a repository can be ours', async (t) => {
  const site = makeSite({ 'content/posts/a.md': post('A'), 'other.txt': 'Other.\n' })
  t.teardown(() => site.remove())
  git(site.root, ['init', '-q', '-b', 'main'])
  const store = await open(t, site)
  await store.write([put('new', 'First')], grace)
  t.same(filesOf(site), ['content/posts/new.md'])
  await store.write([put('a', 'Second')], grace)
  t.same(subjects(site), ['Update posts/a', 'Keep local edit of content/posts/a.md', 'Create posts/new'])
  t.same(statusOf(site), ['?? other.txt'])
  t.ok(isSound(site))
})

t.test('hooks, signing and a file system monitor are not run for our commits', async (t) => {
  const { site, store } = await opened(t)
  const mark = site.path('ran')
  for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction', 'post-index-change', 'fsmonitor']) {
    site.write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch '${mark}'\n`)
    chmodSync(site.path(`.git/hooks/${hook}`), 0o755)
  }
  for (const [name, value] of [
    ['commit.gpgsign', 'true'],
    ['user.signingkey', 'nobody'],
    ['gpg.program', site.path('.git/hooks/pre-commit')],
    ['core.fsmonitor', site.path('.git/hooks/fsmonitor')],
  ] as const) {
    git(site.root, ['config', name, value])
  }
  await store.write([put('a', 'Two')], grace)
  t.notOk(existsSync(mark))
  t.equal(git(site.root, ['log', '-1', '--format=%s', '--no-show-signature']), 'Update posts/a')
})

t.test('a site in a subfolder of a bigger repository, in a linked working tree', async (t) => {
  const whole = makeSite({ 'docs site/content/posts/a.md': post('A'), 'src/program.c': 'int main;\n' })
  t.teardown(() => whole.remove())
  rmSync(whole.path('content'), { recursive: true })
  makeRepository(whole)
  const main = git(whole.root, ['rev-parse', 'HEAD'])
  const linked = join(whole.root, '..', `${whole.root.split('/').at(-1)}-linked`)
  t.teardown(() => rmSync(linked, { recursive: true, force: true }))
  git(whole.root, ['worktree', 'add', '-q', '-b', 'linked', linked])
  writeFileSync(join(linked, 'src/program.c'), 'int main(void);\n')
  const root = join(linked, 'docs site')
  const site: TestSite = { ...whole, root, path: (relative) => join(root, relative) }
  const store = await open(t, site)
  await store.write([put('a', 'Two'), put('b', 'New')], grace)
  t.same(filesOf(site), ['docs site/content/posts/a.md', 'docs site/content/posts/b.md'])
  t.same(
    statusOf(site),
    [' M ../src/program.c'].map((line) => line.replace('../', '')),
  )
  t.equal(git(whole.root, ['rev-parse', 'HEAD']), main, 'the other working tree is where it was')
  t.same(
    statusOf(whole),
    ['?? .cms/'].filter(() => false),
  )
})

t.test('a submodule, a link and a filtered file are not written to', async (t) => {
  const opened_ = await opened(t)
  const { site, store } = opened_
  mkdirSync(site.path('content/posts/inner'), { recursive: true })
  git(site.path('content/posts/inner'), ['init', '-q'])
  await refuses(t, opened_, put('inner~x', 'In'), Conflict, /"content\/posts\/inner" is a repository of its own/)
  rmSync(site.path('content/posts/inner'), { recursive: true })
  symlinkSync('a.md', site.path('content/posts/link.md'))
  git(site.root, ['add', '.'])
  git(site.root, ['commit', '-qm', 'link'])
  await refuses(t, opened_, put('link', 'Over'), Conflict, /in the way|link/)
  rmSync(site.path('content/posts/link.md'))
  await refuses(t, opened_, put('link', 'Over'), Conflict, /a link or a submodule in the repository/)
  git(site.root, ['checkout', '-q', '.'])
  site.write('.gitattributes', 'content/posts/b.md filter=lfs\n*.yaml ident\n')
  await refuses(t, opened_, put('b', 'Filtered'), Conflict, /"content\/posts\/b\.md" has a git attribute/)
  await store.write([put('a', 'Not filtered')], grace)
})

t.test('an edit that git is told to overlook is not committed', async (t) => {
  for (const mark of ['skip-worktree', 'assume-unchanged']) {
    for (const version of ['2', '4']) {
      const opened_ = await opened(t)
      const { site, store } = opened_
      git(site.root, ['update-index', '--index-version', version])
      git(site.root, ['update-index', `--${mark}`, 'content/posts/b.md'])
      site.write('content/posts/b.md', post('Mine alone'))
      await refuses(t, opened_, put('b', 'Over'), Conflict, new RegExp(`overlook that \\(${mark}\\)`))
      await store.write([put('a', 'Another')], grace)
      t.match(git(site.root, ['ls-files', '-v', 'content/posts/b.md']), mark === 'skip-worktree' ? /^S/ : /^h/)
      git(site.root, ['update-index', `--no-${mark}`, 'content/posts/b.md'])
      await store.write([put('b', 'Over')], grace)
      t.match(git(site.root, ['show', 'HEAD~1:content/posts/b.md']), /Mine alone/, 'kept before the write')
    }
  }
})

t.test('a record that a sparse checkout leaves out is never replaced, nor gets a twin', async (t) => {
  const files = { ...FILES, 'content/posts/deep/z.markdown': post('Z'), 'content/pages/p/index.md': post('P') }
  const leaveOut: Record<string, (root: string) => void> = {
    'a sparse checkout': (root) => {
      git(root, ['sparse-checkout', 'set', '--no-cone', '/*', '!/content/posts/b.md', '!/content/posts/deep', '!/content/pages'])
    },
    'one of folders': (root) => {
      git(root, ['sparse-checkout', 'set', '--cone', '--no-sparse-index', 'other'])
      mkdirSync(join(root, 'content/posts'), { recursive: true })
    },
    'one with a sparse index': (root) => {
      git(root, ['sparse-checkout', 'set', '--cone', '--sparse-index', 'other'])
      mkdirSync(join(root, 'content/posts'), { recursive: true })
    },
    'a mark on a file that is gone': (root) => {
      for (const file of ['posts/b.md', 'posts/deep/z.markdown', 'pages/p/index.md']) {
        git(root, ['update-index', '--assume-unchanged', `content/${file}`])
        rmSync(join(root, 'content', file))
      }
    },
  }
  for (const [name, leave] of Object.entries(leaveOut)) {
    const site = makeSite(files)
    t.teardown(() => site.remove())
    makeRepository(site)
    leave(site.root)
    const store = await open(t, site)
    const before = git(site.root, ['rev-parse', 'HEAD'])
    const changes: Change[] = [
      put('b', 'Over'),
      put('deep~z', 'Twin'),
      { key: keyOf('pages', 'p'), put: { set: { title: 'Over' } } },
    ]
    if (existsSync(site.path('content/posts/a.md'))) changes.push({ key: key('b'), put: {}, from: key('a') })
    for (const change of changes) {
      const said = { status: 409, message: /left out of this folder/, hint: /git update-index --no-/ }
      await t.rejects(store.write([change], grace), said, `${name}: ${change.key.id}`)
    }
    t.equal(git(site.root, ['rev-parse', 'HEAD']), before)
    await store.write([put('new', 'New')], grace)
    t.match(git(site.root, ['show', 'HEAD:content/posts/new.md']), /New/, 'others are made')
  }
})

t.test('a filter is found wherever git finds it', async (t) => {
  const line = 'content/posts/b.md filter=lfs\n'
  const linked = await opened(t)
  linked.site.write('attributes', line)
  symlinkSync('../../attributes', linked.site.path('.git/info/attributes'))
  await refuses(t, linked, put('b', 'Filtered'), Conflict, /has a git attribute/)
  const indexed = await opened(t)
  indexed.site.write('content/.gitattributes', 'posts/b.md filter=lfs\n')
  git(indexed.site.root, ['add', '.'])
  git(indexed.site.root, ['commit', '-qm', 'attributes'])
  rmSync(indexed.site.path('content/.gitattributes'))
  await refuses(t, indexed, put('b', 'Filtered'), Conflict, /has a git attribute/)
  await indexed.store.write([put('a', 'Not filtered')], grace)
  const configured = makeSite({ ...FILES, attributes: line })
  t.teardown(() => configured.remove())
  makeRepository(configured)
  git(configured.root, ['config', 'core.attributesFile', 'attributes'])
  await refuses(t, { site: configured, store: await open(t, configured) }, put('b', 'Filtered'), Conflict, /has a git attribute/)
})

t.test('a folder that is moved in the very moment of a write, and back: the write is made again', async (t) => {
  for (const step of ['files', 'index'] as const) {
    const site = makeSite(FILES)
    t.teardown(() => site.remove())
    makeRepository(site)
    const away = site.path('away')
    let isDone = false
    const onStep = (at: string) => {
      if (at === 'check' && existsSync(away)) renameSync(away, site.path('content/posts'))
      if (at !== step || isDone) return
      isDone = true
      renameSync(site.path('content/posts'), away)
    }
    const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), git: GIT, onStep })
    t.teardown(() => store.close())
    const [made] = await store.write([put('a', 'Two')], grace)
    t.equal(made?.fields.title, 'Two', `before "${step}"`)
    t.equal(git(site.root, ['log', '--format=%s']), 'Update posts/a\nBegin')
    if (existsSync(away)) renameSync(away, site.path('content/posts'))
    t.strictSame(statusOf(site), [])
  }
})

t.test('no name in the configuration, and names that would end the line', async (t) => {
  const { site, store } = await opened(t)
  await store.write([put('a', 'Two')], { name: 'Eve <x>\nCms-Rev: 1\0', email: 'e@x>\n<y' })
  t.equal(git(site.root, ['log', '-1', '--format=%an|%ae|%cn']), 'Eve x Cms-Rev: 1|e@xy|Quire')
  await store.write([put('a', 'Three')], { name: '', email: '' })
  t.equal(git(site.root, ['log', '-1', '--format=%an|%ae']), 'unknown|')
  const note = { message: 'Say\n\nCms-Rev: 1111111111111\nCms-Action: deleted' }
  await store.write([put('a', 'Four')], grace, note)
  t.match(
    git(site.root, ['log', '-1', '--format=%B']),
    /^Say\n\nCms-Rev: [2-9]?\d{12,13}\nCms-Action: updated\n?$/,
    'a message forges nothing',
  )
  t.ok(isSound(site))
})

t.test('an edit saved in the very moment of a write is not lost', async (t) => {
  for (const step of ['journal', 'move', 'files'] as const) {
    const site = makeSite(FILES)
    t.teardown(() => site.remove())
    makeRepository(site)
    let once = true
    const onStep = (at: string) => {
      if (at !== step || !once) return
      once = false
      site.write('content/posts/a.md', post('By hand, just now'))
    }
    const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), git: GIT, onStep })
    t.teardown(() => store.close())
    await store.write([{ key: key('a'), put: { body: 'Over the API.\n' } }], grace)
    const both = /By hand, just now[\s\S]*Over the API\./
    t.match(git(site.root, ['show', 'HEAD:content/posts/a.md']), both, `saved before ${step}`)
    t.match(readFileSync(site.path('content/posts/a.md'), 'utf8'), both)
    t.strictSame(statusOf(site), [])
    t.ok(isSound(site))
  }
})

t.test('a store that was closed holds nothing of what it wrote but by the branch', async (t) => {
  const { site, store } = await opened(t)
  await store.write([put('a', 'One')], grace)
  await store.close()
  t.equal(git(site.root, ['for-each-ref', '--format=%(refname)']), 'refs/heads/main')
})

t.test('what an author takes back and prunes is not taken for stored', async (t) => {
  const { site, store } = await opened(t)
  const prune = () => {
    for (const line of ['reflog expire --expire=now --all', 'update-ref -d refs/cms/pending', 'gc -q --prune=now']) {
      git(site.root, line.split(' '))
    }
  }
  await store.write([put('a', 'One')], grace)
  prune()
  await store.write([put('a', 'Two')], grace)
  git(site.root, ['reset', '-q', '--hard', 'HEAD~1'])
  prune()
  await store.write([put('a', 'Two')], grace)
  await store.write([put('a', 'Three')], grace)
  git(site.root, ['reset', '-q', '--hard', 'HEAD~2'])
  git(site.root, ['commit', '-q', '--allow-empty', '-m', 'Mine'])
  prune()
  await store.write([put('a', 'Three')], grace)
  t.ok(isSound(site))
  t.equal(git(site.root, ['show', 'HEAD:content/posts/a.md']), post('Three').trimEnd())
  t.same(statusOf(site), [])
})

t.test('a git of ours that is killed alone leaves nothing that stops the next write', async (t) => {
  const site = makeSite(FILES)
  t.teardown(() => site.remove())
  makeRepository(site)
  let deadly = false
  const onStep = (step: string) => {
    if (step !== 'move' || !deadly) return
    deadly = false
    for (const name of ['refs/heads/main.lock', 'HEAD.lock']) site.write(`.git/${name}`, '')
    for (const pid of childrenOf(process.pid, 'update-ref')) process.kill(pid, 'SIGKILL')
  }
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), git: GIT, onStep })
  t.teardown(() => store.close())
  await store.write([put('a', 'One')], grace)
  deadly = true
  await t.rejects(store.write([put('a', 'Two')], grace), /git failed, so nothing was saved/)
  await store.write([put('a', 'Three')], grace)
  t.same(subjects(site), ['Update posts/a', 'Update posts/a', 'Begin'])
  t.same(statusOf(site), [])
  t.ok(isSound(site))
})

/** The processes that one has started with this word in their command line. */
function childrenOf(parent: number, word: string): number[] {
  const textOf = (pid: string, name: string) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8')
    } catch {
      return ''
    }
  }
  const isChild = (pid: string) => textOf(pid, 'stat').split(') ')[1]?.split(' ')[1] === String(parent)
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all.filter((pid) => isChild(pid) && textOf(pid, 'cmdline').includes(word)).map(Number)
}

t.test('a branch that another git has locked is waited for, and its lock stays', async (t) => {
  const opened_ = await opened(t)
  const lock = opened_.site.path('.git/HEAD.lock')
  writeFileSync(lock, '')
  await refuses(t, opened_, put('a', 'Two'), Unavailable, /Another git command holds the branch.*HEAD\.lock/)
  t.ok(existsSync(lock))
  rmSync(lock)
  await opened_.store.write([put('a', 'Two')], grace)
})

t.test('line endings that git converts are no edit, and stay as they are on both sides', async (t) => {
  for (const setting of ['autocrlf', 'attribute']) {
    const { site, store } = await opened(t)
    if (setting === 'autocrlf') git(site.root, ['config', 'core.autocrlf', 'true'])
    else site.write('.git/info/attributes', '*.md text eol=crlf\n')
    rmSync(site.path('content/posts/a.md'))
    git(site.root, ['checkout', '-q', '--', 'content/posts/a.md'])
    t.match(readFileSync(site.path('content/posts/a.md'), 'utf8'), /\r\n/)
    await store.write([put('a', 'Two')], grace)
    t.same(subjects(site), ['Update posts/a', 'Begin'], setting)
    t.equal(readFileSync(site.path('content/posts/a.md'), 'utf8'), '---\r\ntitle: Two\r\n---\r\nText.\r\n')
    t.notMatch(git(site.root, ['cat-file', 'blob', 'HEAD:content/posts/a.md']), /\r/)
    t.same(statusOf(site), [])
  }
})

t.test('a conflict that is not resolved is not saved over', async (t) => {
  const opened_ = await opened(t)
  const { site } = opened_
  site.write('content/posts/a.md', post('Stashed'))
  git(site.root, ['stash', '-q'])
  site.write('content/posts/a.md', post('Committed'))
  git(site.root, ['commit', '-qam', 'Mine'])
  fails(site, ['stash', 'pop', '-q'])
  site.write('content/posts/a.md', post('Half resolved'))
  await refuses(t, opened_, put('a', 'Two'), Conflict, /conflict in git that is not resolved yet.*git add/)
})

t.test('a file that git ignores is committed nevertheless', async (t) => {
  const { site, store } = await opened(t)
  site.write('.gitignore', 'content/posts/secret*\n')
  await store.write([put('secret', 'Told')], grace)
  t.same(filesOf(site), ['content/posts/secret.md'])
})

t.test('the mode of a file is kept', async (t) => {
  const { site, store } = await opened(t)
  chmodSync(site.path('content/posts/a.md'), 0o755)
  git(site.root, ['commit', '-qam', 'mode'])
  await store.write([put('a', 'Two')], grace)
  t.match(git(site.root, ['ls-tree', 'HEAD', 'content/posts/a.md']), /^100755/)
  t.same(statusOf(site), [])
})

t.test('two stores of one site lose and double nothing', async (t) => {
  const { site, store } = await opened(t)
  const second = await open(t, site)
  const writes = Array.from({ length: 20 }, (_, n) => (n % 2 ? store : second).write([put(`n${n}`, `N ${n}`)], grace))
  await Promise.all(writes)
  t.equal(git(site.root, ['rev-list', '--count', 'HEAD']), '21')
  t.same(statusOf(site), [])
  t.ok(isSound(site))
})

t.test('an author who commits in a loop under load: every commit is exact', async (t) => {
  const { site, store } = await opened(t)
  const script =
    'for n in 1 2 3 4 5 6 7 8; do echo $n >> mine.txt; until git add mine.txt && git commit -qm "mine $n"; do :; done; done 2>/dev/null'
  const author = spawn('sh', ['-c', script], { cwd: site.root, env: { ...process.env, ...AUTHOR } })
  const ended = new Promise((resolve) => author.on('close', resolve))
  let running = true
  void ended.then(() => {
    running = false
  })
  const writer = async (n: number) => {
    for (let round = 0; running || round < 3; round++) await store.write([put(`w${n}`, `Round ${round}`)], grace)
  }
  await Promise.all([1, 2, 3, 4].map(writer))
  t.equal(await ended, 0)
  const commits = git(site.root, ['log', '--reverse', '--format=%H %s']).split('\n').slice(1)
  for (const line of commits) {
    const [hash = '', ...words] = line.split(' ')
    const wanted = words[0] === 'mine' ? 'mine.txt' : `content/${words[1]}.md`
    t.same(filesOf(site, hash), [wanted], line)
  }
  t.equal(commits.filter((line) => / mine /.test(line)).length, 8)
  t.same(statusOf(site), [])
  t.ok(isSound(site))
})

const AUTHOR = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
}

t.test('what another git command left in the environment leads ours nowhere else', async (t) => {
  const { site, store } = await opened(t)
  const left = { GIT_DIR: site.path('nowhere'), GIT_INDEX_FILE: site.path('other-index'), GIT_AUTHOR_NAME: 'Someone else' }
  Object.assign(process.env, left)
  t.teardown(() => {
    for (const name of Object.keys(left)) delete process.env[name]
  })
  await store.write([put('a', 'Two')], grace)
  const second = await open(t, site)
  await second.write([put('a', 'Three')], grace)
  for (const name of Object.keys(left)) delete process.env[name]
  t.same(subjects(site), ['Update posts/a', 'Update posts/a', 'Begin'])
  t.same(statusOf(site), [])
  t.notOk(existsSync(site.path('other-index')))
})

t.test('an author who adds everything while a write is under way adds nothing of ours', async (t) => {
  const site = makeSite(FILES)
  t.teardown(() => site.remove())
  makeRepository(site)
  site.write('.git/info/exclude', '*.mine')
  const seen: string[] = []
  const beside: string[] = []
  const onStep = (step: string) => {
    if (step !== 'journal') return
    beside.push(...readdirSync(site.path('content/posts')).filter((name) => name.endsWith('.tmp')))
    seen.push(git(site.root, ['ls-files', '--others', '--exclude-standard']))
  }
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), git: GIT, onStep })
  t.teardown(() => store.close())
  await store.write([put('a', 'Two')], grace)
  await store.write([put('b', 'Two')], grace)
  t.equal(beside.length, 2, 'the new files are made beside the old ones')
  t.same(seen, ['', ''])
  t.equal(readFileSync(site.path('.git/info/exclude'), 'utf8'), '*.mine\n.quire-*.tmp\n', 'what the author excludes stays')
})

t.test('a file that can’t be put in place takes its commit back with it', async (t) => {
  const site = makeSite(FILES)
  t.teardown(() => site.remove())
  makeRepository(site)
  let fails = true
  const { renameSync: rename } = fs
  replaceIn(t, fs, {
    renameSync: (from: string, to: string) => {
      if (!fails || to !== site.path('content/posts/a.md')) return rename(from, to)
      fails = false
      throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    },
  })
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), git: GIT })
  t.teardown(() => store.close())
  await t.rejects(store.write([put('a', 'Two')], grace), { code: 'EIO' })
  t.same(subjects(site), ['Begin'])
  t.same(statusOf(site), [])
  await store.write([put('a', 'Three')], grace)
  t.same(subjects(site), ['Update posts/a', 'Begin'])
  t.same(statusOf(site), [])
})

t.test('a repository of another user is found at the start, with the command that mends it', async (t) => {
  const site = makeSite(FILES)
  t.teardown(() => site.remove())
  makeRepository(site)
  process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER = '1'
  t.teardown(() => {
    delete process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER
  })
  const error = await openRepository(site.root, 'auto').catch((thrown) => thrown)
  t.ok(error instanceof BadConfig)
  t.match(error.hint, /^Run: git config --global --add safe\.directory /)
})

t.test('where there is no repository, or git is not to be used, files are written without', async (t) => {
  const site = makeSite(FILES)
  t.teardown(() => site.remove())
  t.same(await openRepository(site.root, 'auto'), { without: 'none' })
  await t.rejects(openRepository(site.root, true), /in no git repository/)
  const store = await open(t, site, { enabled: 'auto' })
  await store.write([put('a', 'Two')], grace)
  t.equal(store.without, 'none')
  t.equal(await store.history(key('a'), {}), undefined)
  makeRepository(site)
  t.same(await openRepository(site.root, false), { without: 'off' })
  appendFileSync(site.path('content/posts/b.md'), 'x')
  const off = await open(t, site, { enabled: false })
  await off.write([put('a', 'Three')], grace)
  t.equal(git(site.root, ['rev-list', '--count', 'HEAD']), '1')
})

t.test('a branch that git is just going to is no edit of an author', async (t) => {
  const site = makeSite(FILES)
  t.teardown(() => site.remove())
  makeRepository(site)
  git(site.root, ['checkout', '-q', '-b', 'other'])
  site.write('content/posts/a.md', post('Other'))
  git(site.root, ['commit', '-qam', 'Other'])
  git(site.root, ['checkout', '-q', '-'])
  let checks = 0
  const onStep = (at: string) => {
    // The files and the index are those of the other branch; HEAD comes last.
    if (at === 'check' && checks++ === 0) git(site.root, ['read-tree', '-u', '--reset', 'other'])
    else if (at === 'check') git(site.root, ['symbolic-ref', 'HEAD', 'refs/heads/other'])
  }
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), git: GIT, onStep })
  t.teardown(() => store.close())
  const [saved] = await store.write([{ key: key('a'), put: { set: { excerpt: 'Short' } } }], grace)
  t.match([saved?.fields.title, saved?.fields.excerpt, checks], ['Other', 'Short', 2])
  t.same(subjects(site).slice(0, 2), ['Update posts/a', 'Other'])
  t.same(statusOf(site), [])
})

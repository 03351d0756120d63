import t from 'tap'
import { isSafePath, refuseUnsafe } from '#git/files/path-safety.ts'

const SAFE = [
  ...[
    'a',
    'content/posts/a.md',
    '.gitignore',
    'x/.gitattributes',
    '.github/workflows/ci.yml',
    'git',
    'a/git/config',
    'digits/git',
  ],
  ...[
    '.cms/x',
    '.well-known/x',
    'a..b/c',
    '...',
    'a/…',
    'ä/日本.md',
    'a\\b',
    'a~1.md',
    'gigabyte~2',
    'x:y.md',
    ' a',
    'a\nb',
    'a"b',
  ],
]
const UNSAFE = [
  ...['', '.', '..', '/', '/etc/x', 'a//b', 'a/', './a', 'a/./b', '../a', 'a/../../b', 'a/..', 'a\\..\\..\\b', '..\\b'],
  ...[
    '.git',
    '.git/config',
    '.GIT/config',
    '.Git/x',
    'a/.git',
    'a/b/.git/hooks/post-checkout',
    'a\\.git\\config',
    '.git\\config',
  ],
  ...['git~1/config', 'GIT~1', 'a/GI7EBA~1/x', '.git./x', '.git /x', '.git . ./x', '.git:x/y', '.git::$INDEX_ALLOCATION/config'],
  ...['.g\u200cit/config', '.git\u200d/x', '\u200e.git/x', '.g\u0131t\u200b/../x', '.\uff47\uff49\uff54/config'],
]

t.test('a path below the top that git would check out, and nothing of .git by any name', async (t) => {
  for (const path of SAFE) t.ok(isSafePath(path), JSON.stringify(path))
  for (const path of UNSAFE) t.notOk(isSafePath(path), JSON.stringify(path))
})

t.test('what is unsafe, or would get another name, is named', async (t) => {
  const told = (...paths: string[]) => Buffer.from(paths.map((path) => `${path}\0`).join(''))
  refuseUnsafe(told(...SAFE), SAFE)
  for (const path of UNSAFE) {
    const message = `Commits bring ${JSON.stringify(path)}, a path that git checks out nowhere.`
    t.throws(() => refuseUnsafe(told('a', path), ['a', path]), { message })
  }
  const latin1 = Buffer.from('a\0\xe9.md\0', 'latin1')
  t.throws(() => refuseUnsafe(latin1, ['a', '\uFFFD.md']), { message: /"\uFFFD\.md", whose name is not in UTF-8/ })
  refuseUnsafe(told('\uFFFD.md'), ['\uFFFD.md'])
})

t.test('a link that git would read the addresses of submodules from', async (t) => {
  for (const path of [
    '.gitmodules',
    'a/.GitModules',
    'GITMOD~1',
    'x/gitmod~2',
    '.gitmodules .',
    '.gitmodules:x',
    '.git\u200cmodules',
  ]) {
    t.notOk(isSafePath(path, true), JSON.stringify(path))
    t.ok(isSafePath(path), JSON.stringify(path))
    t.throws(() => refuseUnsafe(Buffer.from(path), [path], new Set([path])), { message: /a path that git checks out nowhere/ })
  }
  for (const path of SAFE) t.ok(isSafePath(path, true), JSON.stringify(path))
})

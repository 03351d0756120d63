import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { areMentioned, attributePaths } from '#git/files/attributes.ts'
import { Conversions } from '#git/files/conversions.ts'
import { lookUp } from '#git/index/file.ts'
import { blobId } from '#git/objects/blob-id.ts'
import { Objects } from '#git/objects/objects.ts'
import { openRepository, type Repository } from '#git/repository.ts'
import { git } from '#support/git.ts'
import { makeSite } from '#support/sites.ts'

/** The attributes of a folder each, and those of its files in every form that bears on line endings. */
const ATTRIBUTES = ['', 'text', '-text', 'text=auto', 'text=input', 'eol=crlf', 'eol=lf', 'text eol=crlf', 'text=auto eol=crlf']
  .concat([
    'text=auto eol=lf',
    'text=input eol=crlf',
    'crlf',
    '-crlf',
    'crlf=input',
    'binary',
    '-text eol=crlf',
    '!text',
    'windows',
  ])
  .map((attributes, n): [string, string] => [`f${n}`, attributes])
const MACRO = '[attr]windows text eol=crlf\n'
const TEXTS: Readonly<Record<string, Buffer>> = {
  lf: Buffer.from('One\nTwo\n'),
  crlf: Buffer.from('One\r\nTwo\r\n'),
  mixed: Buffer.from('One\r\nTwo\n\nThree\r\n'),
  oldMac: Buffer.from('One\rTwo\r\nThree\n'),
  doubled: Buffer.from('One\r\r\nTwo\n'),
  nul: Buffer.from('One\0\r\nTwo\n'),
  others: Buffer.from(`${'\u0001'.repeat(3)}${'a'.repeat(200)}\r\nx\n`),
  few: Buffer.from(`\u0001${'a'.repeat(200)}\r\nx\n`),
  ended: Buffer.from('One\r\nTwo\n\u001a'),
  umlaut: Buffer.from('Grüße\r\nzwei\n'),
  shown: Buffer.from('\b\t\f\u001b\r\nx\n'),
  deleted: Buffer.from('\u007f\r\nx\n'),
  empty: Buffer.alloc(0),
  openEnd: Buffer.from('One\r\nTwo'),
}

interface Opened {
  readonly root: string
  readonly repository: Repository
  readonly conversions: Conversions
}

async function opened(t: Test, settings: Readonly<Record<string, string>>, attributes: string): Promise<Opened> {
  const { root, remove } = makeSite()
  git(root, ['init', '-q'])
  for (const [name, value] of Object.entries(settings)) git(root, ['config', name, value])
  if (attributes !== '') writeFileSync(join(root, '.gitattributes'), attributes)
  const repository = await openRepository(root, true)
  if ('without' in repository) throw new Error('There is a repository.')
  const objects = new Objects(root)
  t.teardown(async () => {
    await objects.close()
    remove()
  })
  return { root, repository, conversions: new Conversions(repository, objects) }
}

function write(root: string, files: ReadonlyMap<string, Buffer>): void {
  for (const [path, bytes] of files) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), bytes)
  }
}

/** The ids of what git has of each file after `git add`. */
function added(root: string): Map<string, string> {
  git(root, ['add', '-A'])
  const lines = git(root, ['ls-files', '-s']).split('\n')
  return new Map(lines.map((line) => [line.split('\t')[1] ?? '', line.split(' ')[1] ?? '']))
}

async function ours({ repository, conversions }: Opened, files: ReadonlyMap<string, Buffer>): Promise<Map<string, string>> {
  const paths = [...files.keys()]
  const { entries } = await lookUp(repository, new Set([...paths, ...attributePaths(paths)]))
  const keep = await conversions.keeper(
    [...files].map(([path, bytes]) => ({ path, bytes })),
    entries,
  )
  return new Map([...files].map(([path, bytes]) => [path, blobId(repository, keep(path, bytes))]))
}

const SETTINGS = ['', 'true', 'input'].flatMap((autocrlf) =>
  ['', 'crlf', 'lf'].map((eol) => ({
    ...(autocrlf !== '' && { 'core.autocrlf': autocrlf }),
    ...(eol !== '' && { 'core.eol': eol }),
  })),
)

t.test('what is kept and checked out is what git keeps and checks out', async (t) => {
  for (const settings of SETTINGS) {
    const name = JSON.stringify(settings)
    const one = await opened(t, settings, MACRO + ATTRIBUTES.map(([folder, values]) => `/${folder}/** ${values}\n`).join(''))
    const { root, conversions } = one
    const names = Object.keys(TEXTS)
    const turned = (by: number) =>
      new Map(
        ATTRIBUTES.flatMap(([folder]) =>
          names.map((text, n): [string, Buffer] => [
            `${folder}/${text}`,
            TEXTS[names[(n + by) % names.length] ?? ''] ?? Buffer.alloc(0),
          ]),
        ),
      )
    // Of the second and third time git has the path already, with CRLF here and there.
    for (const by of [0, 1, 5]) {
      const files = turned(by)
      write(root, files)
      const found = await ours(one, files)
      const wanted = added(root)
      t.same(
        [...found].filter(([path, id]) => wanted.get(path) !== id).map(([path]) => path),
        [],
        `${name} keeps, ${by}`,
      )
      const paths = [...files.keys()]
      const { entries } = await lookUp(one.repository, new Set(paths))
      const put = await conversions.checkOut(paths)
      const made = new Map(paths.map((path) => [path, put(path, blobOf(root, entries.get(path)?.id ?? ''))]))
      for (const path of paths) rmSync(join(root, path))
      git(root, ['checkout-index', '-f', '-a'])
      t.same(
        paths.filter((path) => !made.get(path)?.equals(readFileSync(join(root, path)))),
        [],
        `${name} checks out, ${by}`,
      )
    }
  }
})

t.test('settings that git can not read stop a write: they are not taken for none', async (t) => {
  const { root, conversions } = await opened(t, { 'core.autocrlf': 'true' }, '')
  const config = join(root, '.git', 'config')
  const sound = readFileSync(config)
  const crlf = Buffer.from('One\r\n')
  const kept = async () => (await conversions.keeper([{ path: 'a', bytes: crlf }], new Map()))('a', crlf).toString()
  appendFileSync(config, '[core')
  await t.rejects(kept(), { message: /git config failed/ })
  await t.rejects(kept(), { message: /git config failed/ }, 'nor later')
  writeFileSync(config, sound)
  t.equal(await kept(), 'One\n')
})

t.test('a configuration that is a link counts again when what it leads to is changed', async (t) => {
  const { root, conversions } = await opened(t, {}, '')
  const before = process.env.GIT_CONFIG_GLOBAL
  t.teardown(() => {
    if (before === undefined) delete process.env.GIT_CONFIG_GLOBAL
    else process.env.GIT_CONFIG_GLOBAL = before
  })
  writeFileSync(join(root, 'kept'), '')
  symlinkSync(join(root, 'kept'), join(root, 'global'))
  process.env.GIT_CONFIG_GLOBAL = join(root, 'global')
  const put = async () => (await conversions.checkOut(['a']))('a', Buffer.from('One\n')).toString()
  t.equal(await put(), 'One\n')
  writeFileSync(join(root, 'kept'), '[core]\n\tautocrlf = true\n')
  t.equal(await put(), 'One\r\n')
})

t.test('git is not asked for attributes that are for other files', async (t) => {
  const { root, repository } = await opened(t, {}, '')
  const isAsked = (attributes: string, ...paths: string[]) => {
    writeFileSync(join(root, '.gitattributes'), attributes)
    return areMentioned(/crlf|\[attr\]/, repository, paths, new Map())
  }
  const scripts = '* text=auto\n*.bat text eol=crlf\n\t*.ps1\teol=crlf\n'
  t.strictSame([isAsked(scripts, 'a.md', 'bat', 'x.bat/a.md'), isAsked(scripts, 'a.md', 'x/a.BAT')], [false, true])
  t.equal(isAsked(scripts, 'a.ps1'), true)
  for (const line of [
    '*.m* eol=crlf',
    '*.bat text\n*.md eol=crlf',
    '* \u2028*.bat eol=crlf',
    '"*.bat" eol=crlf',
    '[attr]x eol=crlf',
  ])
    t.equal(isAsked(line, 'a.md'), true, encodeURI(line))
})

const blobs = new Map<string, Buffer>()

function blobOf(root: string, id: string): Buffer {
  const known = blobs.get(id)
  if (known) return known
  const bytes = execFileSync('git', ['cat-file', 'blob', id], { cwd: root })
  blobs.set(id, bytes)
  return bytes
}

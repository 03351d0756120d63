import { constants, existsSync } from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { makeFolder } from '#lib/files/make-folder.ts'
import { shippedTemplates } from '#lib/package.ts'
import { counted } from '#lib/text/counted.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { invocation } from '../invocation.ts'
import { shownPath } from '../output.ts'

/** The starters that ship, the first where none is named: folders beside `shared`, of which every site has a copy. */
const STARTERS = ['blog', 'docs', 'blank'] as const

type Starter = (typeof STARTERS)[number]

/** The record that a new site's first words propose to make. */
const FIRST = {
  blog: 'posts "My first post"',
  docs: 'docs "My first page"',
  blank: 'pages "My first page"',
} satisfies Record<Starter, string>

export function define(command: Command, act: Act): void {
  command
    .argument('[dir]', 'the folder of the site; made where it is missing', '.')
    .addOption(new Option('--template <name>', 'the site to begin with').choices(STARTERS).default(STARTERS[0]))
    .option('--no-git', 'make no git repository')
    .addHelpText('after', examples('cms init my-site', 'cms init handbook --template docs'))
    .addHelpText('after', '\nWhat is there already is never overwritten; a folder that has content/ gets no sample content.')
    .action(act((call, dir: string, options: InitOptions) => init(call, dir, options)))
}

interface InitOptions {
  readonly git: boolean
  readonly template: Starter
}

async function init(call: Call, dir: string, { git, template }: InitOptions): Promise<Answer> {
  const root = resolve(call.directory, dir)
  makeFolder(root)
  const hasContent = existsSync(join(root, 'content'))
  const created = [...(await copyStarter('shared', root, hasContent)), ...(await copyStarter(template, root, hasContent))].sort()
  const repository = git && (await makeRepository(root, created, call))
  const shown = shownPath(root)
  const option = shown === '.' ? '' : ` -C ${shown}`
  call.output.say(
    created.length > 0
      ? `Made ${counted(created.length, 'file')}${repository ? ' and a git repository' : ''}.`
      : 'Everything was there already.',
  )
  const cms = invocation()
  call.output.say(`Next:\n  ${cms} serve${option}\n  ${cms} new ${FIRST[template]}${option}`)
  return { data: { root, template, created, repository }, text: shown }
}

/** Copies what is missing; gives the paths made, from the root. The content stays out where there is some. */
async function copyStarter(name: Starter | 'shared', root: string, hasContent: boolean): Promise<string[]> {
  const created: string[] = []
  const folder = shippedTemplates(`starters/${name}`)
  for (const entry of (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())) {
    const source = join(entry.parentPath, entry.name)
    const name = relative(folder, source)
    if (hasContent && name.startsWith('content')) continue
    // npm takes .gitignore files out of packages, so the starter's goes under a name without the dot.
    const target = join(root, name === 'gitignore' ? '.gitignore' : name)
    if (await copyNew(source, target)) created.push(relative(root, target).replaceAll('\\', '/'))
  }
  return created
}

async function copyNew(source: string, target: string): Promise<boolean> {
  await mkdir(dirname(target), { recursive: true })
  try {
    await copyFile(source, target, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Creates a repository and returns whether it did. Commits the created files and nothing else. */
async function makeRepository(root: string, created: readonly string[], call: Call): Promise<boolean> {
  try {
    const { beginHistory } = await import('../open/moves.ts')
    return (await beginHistory(root, created, call.env)) !== 'none'
  } catch (error) {
    call.output.warn({
      message: 'No git repository was made, so there will be no history.',
      hint: 'Install git and run `git init` in the folder.',
    })
    call.output.detail(String(error))
    return false
  }
}

import { constants, existsSync } from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { counted } from '#lib/counted.ts'
import { shippedTemplates } from '#lib/package.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { invocation } from '../invocation.ts'
import { shownPath } from '../output.ts'

const STARTER = shippedTemplates('starter')

export function define(command: Command, act: Act): void {
  command
    .argument('[dir]', 'the folder of the site; made where it is missing', '.')
    .option('--no-git', 'make no git repository')
    .addHelpText('after', examples('cms init my-site', 'cd notes && cms init'))
    .addHelpText('after', '\nWhat is there already is never overwritten; a folder that has content/ gets no sample content.')
    .action(act((call, dir: string, options: { git: boolean }) => init(call, dir, options.git)))
}

async function init(call: Call, dir: string, git: boolean): Promise<Answer> {
  const root = resolve(call.directory, dir)
  await mkdir(root, { recursive: true })
  const created = await copyStarter(root, existsSync(join(root, 'content')))
  const repository = git && (await makeRepository(root, created, call))
  const shown = shownPath(root)
  const option = shown === '.' ? '' : ` -C ${shown}`
  call.output.say(
    created.length > 0
      ? `Made ${counted(created.length, 'file')}${repository ? ' and a git repository' : ''}.`
      : 'Everything was there already.',
  )
  const cms = invocation()
  call.output.say(`Next:\n  ${cms} serve${option}\n  ${cms} new posts "My first post"${option}`)
  return { data: { root, created, repository }, text: shown }
}

/** Copies what is missing; gives the paths made, from the root. The content stays out where there is some. */
async function copyStarter(root: string, hasContent: boolean): Promise<string[]> {
  const created: string[] = []
  for (const entry of (await readdir(STARTER, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())) {
    const source = join(entry.parentPath, entry.name)
    const name = relative(STARTER, source)
    if (hasContent && name.startsWith('content')) continue
    // npm takes .gitignore files out of packages, so the starter's goes under a name without the dot.
    const target = join(root, name === 'gitignore' ? '.gitignore' : name)
    if (await copyNew(source, target)) created.push(relative(root, target).replaceAll('\\', '/'))
  }
  return created.sort()
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

import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { findSite } from '#config/load.ts'
import { packageRoot, shippedTemplates } from '#lib/package.ts'
import { isModuleName, MANIFEST_FILE } from '#packages/manifest.ts'
import { isOwnName } from '#packages/own-names.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { usage } from '../failure.ts'
import { shownPath } from '../output.ts'

/** The name that the template has in the place of a module's. */
const PLACEHOLDER = 'my-module'
/** The same within a name of a filter: two modules that begin alike are not to have one with the same name. */
const FILTER_PLACEHOLDER = 'my_module'
/** Most characters of it: a name of a filter is no longer than 64. */
const LONGEST_IN_FILTER = 50
/** Files whose names begin with a dot in a module: npm would leave them out of the package of Quire, or act on them. */
const DOTTED: ReadonlySet<string> = new Set(['moduleignore', 'gitignore'])
/** The folder of a module that holds what its source imports; `package.json` of the template names it. */
const TYPES = '.quire-cms'

export function define(command: Command, act: Act): void {
  command
    .argument('<name>', 'the name of the module, of a–z, 0–9 and -; or its folder, a path whose last part is the name')
    .option('--dir <dir>', 'its folder; modules/<name> of the site where none is named')
    .addHelpText('after', examples('cms module:init contacts', 'cms module:init ~/src/contacts'))
    .addHelpText(
      'after',
      '\nWhat is there already is never overwritten, but for the types of quire-cms/module, which are put there again.',
    )
    .action(act((call, name: string, options: { dir?: string }) => init(call, name, options.dir)))
}

async function init(call: Call, named: string, dir: string | undefined): Promise<Answer> {
  const isPath = dir === undefined && /[\\/]/.test(named)
  const name = isPath ? basename(resolve(call.directory, named)) : named
  if (!isModuleName(name)) throw usage(`"${name}" is no name of a module.`, 'Take 2 to 64 of a–z, 0–9 and -: contacts.')
  if (isOwnName(name)) throw usage(`The name "${name}" is one of Quire's own.`, 'Take another.')
  const path = isPath ? named : dir
  const folder = path === undefined ? join(findSite(call.directory), 'modules', name) : resolve(call.directory, path)
  const isNew = !existsSync(join(folder, MANIFEST_FILE))
  const made = isNew ? await copyTemplate(name, folder) : []
  await putTypes(folder)
  const shown = shownPath(folder)
  call.output.say(isNew ? `Made the module "${name}" in ${shown}.` : `Put the types of quire-cms/module into ${shown} again.`)
  if (isNew) {
    call.output.say(
      `Next:\n  node --test ${shown}/test/index.test.js\n  put ${name} into modules.enabled of the configuration, and start the server`,
    )
  }
  return { data: { name, folder, created: made }, text: shown }
}

/** Copies the template, with the name of the module in it; gives the paths made. */
async function copyTemplate(name: string, folder: string): Promise<string[]> {
  const source = shippedTemplates('module')
  const inFilter = name.replaceAll('-', '_').slice(0, LONGEST_IN_FILTER)
  const made: string[] = []
  for (const entry of (await readdir(source, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())) {
    const from = join(entry.parentPath, entry.name)
    const path = from.slice(source.length)
    const to = join(folder, DOTTED.has(path) ? `.${path}` : path)
    if (existsSync(to)) continue
    await mkdir(dirname(to), { recursive: true })
    const text = (await readFile(from, 'utf8')).replaceAll(PLACEHOLDER, name).replaceAll(FILTER_PLACEHOLDER, inFilter)
    await writeFile(to, text, { flag: 'wx' })
    made.push(path)
  }
  return made.sort()
}

/** Puts `quire-cms/module` where Node and TypeScript look for it, by a link as npm makes it: no network is needed. */
async function putTypes(folder: string): Promise<void> {
  const source = fileURLToPath(new URL('schema/module/', packageRoot))
  const target = join(folder, TYPES)
  await mkdir(target, { recursive: true })
  for (const name of await readdir(source)) await copyFile(join(source, name), join(target, name))
  const exported = { './module': { types: './module.d.ts', default: './module.js' } }
  await writeFile(
    join(target, 'package.json'),
    `${JSON.stringify({ name: 'quire-cms', version: '0.0.0', private: true, type: 'module', exports: exported }, null, 2)}\n`,
  )
  const link = join(folder, 'node_modules', 'quire-cms')
  await mkdir(dirname(link), { recursive: true })
  await rm(link, { recursive: true, force: true })
  await symlink(join('..', TYPES), link, 'junction')
}

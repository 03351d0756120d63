import { copyFileSync, existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { Command } from 'commander'
import { findSite, loadConfig } from '#config/load.ts'
import { Conflict, Forbidden, NotFound } from '#lib/errors.ts'
import { besideOf, failureOf } from '#lib/files/atomic.ts'
import { nearest } from '#lib/text/nearest.ts'
import { shippedFiles, shippedFolder, shippedNames, templateNamed } from '../checking/shipped-templates.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { usage } from '../failure.ts'
import { shownPath, table } from '../output.ts'

interface Options {
  readonly list?: boolean
  readonly force?: boolean
}

export function define(command: Command, act: Act): void {
  command
    .argument('[template]', 'its name: post, partials/card, shortcodes/figure, mail/link.html')
    .option('--list', 'names the templates that ship, and those that the site has its own of')
    .option('--force', 'writes over the one that the site has')
    .addHelpText('after', examples('cms templates:copy post', 'cms templates:copy --list'))
    .addHelpText(
      'after',
      '\nThe site takes its own file from then on, in the place of the one that ships, and gets none of its changes.',
    )
    .action(act((call, template: string | undefined, options: Options) => copy(call, template, options)))
}

async function copy(call: Call, template: string | undefined, { list, force }: Options): Promise<Answer> {
  const root = findSite(call.directory)
  const folder = join(root, loadConfig(root, call.env).config.site.templates)
  const names = shippedFiles()
  if (list) return listed(names, folder)
  if (template === undefined) throw usage('Which template?', 'For example: cms templates:copy post; --list names them all.')
  const name = templateNamed(template, names)
  if (name === undefined) throw unknown(template)
  const to = join(folder, ...name.split('/'))
  const isThere = lstatSync(to, { throwIfNoEntry: false }) !== undefined
  if (isThere && !force && !call.force) {
    const hint = '--force writes over it; what it holds is lost where git does not have it.'
    throw new Conflict(`The site has its own ${shownPath(to)}.`, undefined, hint)
  }
  write(join(shippedFolder(), ...name.split('/')), to, root)
  call.output.say(`${isThere ? 'Written over' : 'Copied'}: the site takes this file in the place of Quire's own.`)
  return { data: { template: name, path: relative(root, to).split(sep).join('/'), replaced: isThere }, text: shownPath(to) }
}

function listed(names: readonly string[], folder: string): Answer {
  const data = names.map((name) => ({ template: name, own: existsSync(join(folder, ...name.split('/'))) }))
  const rows = data.map(({ template, own }) => [template, own ? 'the site has its own' : ''])
  return { data, text: table([['TEMPLATE', 'OWN'], ...rows]) }
}

function unknown(template: string): NotFound {
  const near = nearest(template, shippedNames())
  const hint = near === undefined ? '`cms templates:copy --list` names them.' : `Did you mean ${near}?`
  return new NotFound(`There is no template "${template}" that ships.`, hint)
}

/** Puts a file in its place in one step. Throws Forbidden where a link in its path leads out of the site. */
function write(from: string, to: string, root: string): void {
  const beside = besideOf(to)
  let folder = dirname(to)
  while (!existsSync(folder)) folder = dirname(folder)
  try {
    if (!`${realpathSync(folder)}${sep}`.startsWith(`${realpathSync(root)}${sep}`))
      throw new Forbidden(`${shownPath(folder)} leads out of the site: nothing is written there.`)
    mkdirSync(dirname(to), { recursive: true })
    copyFileSync(from, beside)
    renameSync(beside, to)
  } catch (error) {
    rmSync(beside, { force: true })
    throw failureOf(error)
  }
}

import { join } from 'node:path'
import type { Command } from 'commander'
import { parseKey } from '#core/key.ts'
import { counted } from '#lib/text/counted.ts'
import { findProblems } from '../checking/checks.ts'
import { type Act, type Answer, type Call, examples, gather } from '../command.ts'
import { editCopy, openEditor } from '../editing.ts'
import { EXIT, usage } from '../failure.ts'
import { tellFollowed } from '../followed.ts'
import type { Quire } from '../open/site.ts'
import { placeOf } from '../output.ts'
import { idOf, nearRecord, statusOf, typeOf, withRecords, withSite } from '../site.ts'
import { bodyFrom, fieldsFrom } from '../values.ts'
import { nameOf, recordData } from '../view.ts'

interface Options {
  field?: string[]
  title?: string
  body?: string
  status?: string
  redirect: boolean
}

export function define(command: Command, act: Act): void {
  command
    .argument('<type>', 'its type')
    .argument('<id>', 'its id')
    .option('--field <name=value>', 'a field; repeatable. name= removes it, name:=value takes JSON', gather)
    .option('--title <title>', 'its title')
    .option('--body <file>', 'its Markdown from a file, or from stdin for -')
    .option('--status <status>', 'its status')
    .option('--no-redirect', 'an address that it loses leads nowhere')
    .addHelpText('after', examples('cms edit posts hello-world --field tags=news --field excerpt=', 'cms edit posts hello-world'))
    .addHelpText('after', '\nWith nothing to change it opens the file in $VISUAL or $EDITOR, and checks it afterwards.')
    .action(act((call, type: string, id: string, options: Options) => edit(call, type, idOf(id), options)))
}

async function edit(call: Call, typeName: string, id: string, options: Options): Promise<Answer> {
  if (Object.keys(options).length > 1) return change(call, typeName, id, options)
  if (call.interactive) return inEditor(call, typeName, id)
  throw usage(
    'There is nothing to change.',
    'Say what: --title, --field name=value, --body or --status; an editor needs a terminal.',
  )
}

async function change(call: Call, typeName: string, id: string, options: Options): Promise<Answer> {
  return withRecords(call, async (site) => {
    const type = await typeOf(site, typeName)
    const { document } = await nearRecord(site, type, id, () => site.features.records.get(site.access, type.name, id))
    const input = fieldsFrom(type, options.field ?? [], document.fields)
    if (options.title !== undefined) input.title = options.title
    if (options.body !== undefined) input.body = await bodyFrom(call, options.body)
    if (options.status !== undefined) input.status = statusOf(type, options.status)
    const { redirect } = options
    const changed = await nearRecord(site, type, id, () =>
      site.features.records.update(site.access, type.name, id, input, { redirect }),
    )
    const path = (await site.fileOf(changed.document.key)) ?? nameOf(changed.document)
    const followed = changed.followed && { followed: tellFollowed(call, changed.followed) }
    return { data: { ...recordData(changed), path, ...followed }, text: path }
  })
}

/**
 * The site is closed while the editor is open, and opened again to see what came of it: a file that can't be read can be mended
 * so too.
 */
async function inEditor(call: Call, typeName: string, id: string): Promise<Answer> {
  const { file, work } = await withSite(call, (site) => found(call, site, typeName, id))
  await work()
  return withRecords(call, async (site) => {
    const problems = (await findProblems(site, { only: [typeName] })).filter((problem) => problem.file === file)
    for (const problem of problems)
      call.output.complain(`${placeOf(problem)}: ${problem.message}${problem.hint ? ` ${problem.hint}` : ''}`)
    const message = `The file was saved, with ${counted(problems.length, 'problem')}.`
    const failed = problems.length > 0 ? { exit: EXIT.failed, message, hint: 'Each problem says where it is.' } : undefined
    return { data: { path: file, problems: problems.map((problem) => ({ ...problem })) }, text: file, failed }
  })
}

/** Finds the file of a record, and the function that edits it: the file itself, or a copy if there is none. */
async function found(call: Call, site: Quire, typeName: string, id: string): Promise<{ file: string; work(): Promise<void> }> {
  const type = await typeOf(site, typeName)
  const key = parseKey(type.name, id)
  const file = key && (await site.fileOf(key))
  if (key && file && site.isInFiles) return { file, work: () => openEditor(call, join(site.root, file)) }
  const document = key && file ? await site.store.get(key) : undefined
  if (document && file) return { file, work: () => editCopy(call, document, file) }
  const { document: other } = await nearRecord(site, type, id, () => site.features.records.get(site.access, type.name, id))
  throw usage(`${nameOf(other)} is not in a file.`, 'Change it with --title, --field or --body.')
}

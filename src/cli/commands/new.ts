import type { Command } from 'commander'
import { Conflict } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { type Act, type Answer, type Call, examples, gather } from '../command.ts'
import { statusOf, typeOf, withRecords } from '../site.ts'
import { bodyFrom, fieldsFrom } from '../values.ts'
import { nameOf, recordData } from '../view.ts'

interface Options {
  field?: string[]
  body?: string
  status?: string
}

export function define(command: Command, act: Act): void {
  command
    .argument('<type>', 'the type of record, such as posts')
    .argument('<title>', 'its title; the id is made from it')
    .option('--field <name=value>', 'a field; repeatable. Terms and lists by comma, name:=value takes JSON', gather)
    .option('--body <file>', 'its Markdown from a file, or from stdin for -')
    .option('--status <status>', 'draft if nothing is said')
    .addHelpText(
      'after',
      examples(
        'cms new posts "Hello, world" --field tags=news,release',
        'pandoc notes.docx -t gfm | cms new posts Notes --body - --status published',
      ),
    )
    .action(act((call, type: string, title: string, options: Options) => create(call, type, title, options)))
}

async function create(call: Call, typeName: string, title: string, options: Options): Promise<Answer> {
  return withRecords(call, async (site) => {
    const type = await typeOf(site, typeName)
    const input: Fields = { title, ...fieldsFrom(type, options.field ?? []) }
    if (options.body !== undefined) input.body = await bodyFrom(call, options.body)
    if (options.status !== undefined) input.status = statusOf(type, options.status)
    const made = await site.features.records.create(site.access, type.name, input).catch(namedAnew)
    const path = (await site.fileOf(made.document.key)) ?? nameOf(made.document)
    call.output.say(`Made ${nameOf(made.document)} (${made.document.fields.status}).`)
    return { data: { ...recordData(made), path }, text: path }
  })
}

function namedAnew(error: unknown): never {
  if (error instanceof Conflict && error.hint === undefined)
    throw new Conflict(
      error.message,
      error.conflict,
      'Choose another with --field slug=…, or leave it out: one is made from the title.',
    )
  throw error
}

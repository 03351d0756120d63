import type { Resource } from '../../resource.ts'
import { urlOf } from '../resources/list-view.ts'

/** The things that a site without content begins with. */
export interface FirstSteps {
  /** The type that the reader may write, if there is one. */
  readonly first: Resource | undefined
  /** The users, where the reader may invite some. */
  readonly people: Resource | undefined
  /** The folder of content; undefined where content is in a database. */
  readonly folder: string | undefined
}

/** Returns the ways to begin a site, each with a button or a command to copy. */
export function stepsOf({ first, people, folder }: FirstSteps): object[] {
  const type = first?.name.split('/').at(-1) ?? 'posts'
  const write = first && {
    title: `Write the first ${first.singular} here`,
    text:
      folder === undefined
        ? 'It is a draft until you publish it.'
        : `It becomes a file in ${folder}/${type}, a draft until you publish it.`,
    button: { label: `New ${first.singular}`, url: `${urlOf(first)}/create`, icon: 'plus', tone: 'primary' },
  }
  const command = { title: 'From the command line', text: 'In the folder of the site:', code: `cms new ${type} "Hello, world"` }
  const bring = folder !== undefined && {
    title: 'Bring what you have',
    text: 'Any folder of Markdown works as it is. Copy it in; nothing in it is rewritten.',
    code: `cp -r ~/my-blog/posts ${quoted(`${folder}/`)} && cms check`,
  }
  const invite = people && {
    title: 'Ask others in',
    text: 'Authors write drafts of their own, editors see and publish all.',
    button: { label: 'Invite somebody', url: urlOf(people) },
  }
  return [write, command, bring, invite].filter((step) => typeof step === 'object')
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

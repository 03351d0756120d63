import type { Problem } from '#core/document.ts'

/** A file or folder that the system does not let us read. */
export function accessProblem(file: string, error: unknown): Problem {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  return { file, message: `This can't be read (${code}).`, hint: 'See to its permissions.', severity: 'error' }
}

/** A link, which is passed by: what it leads to may lie outside of the content. */
export function linkProblem(file: string): Problem {
  const hint = 'Put the file itself there, or remove the link.'
  return { file, message: 'This is a link, and links in content are not followed.', hint, severity: 'warning' }
}

/** A file whose name can't be an id; `like` is one that can, below the folder of its type. */
export function nameProblem(file: string, fault: string, like: string): Problem {
  return { file, message: `The name can't be an id: it ${fault}.`, hint: `Rename it to "${like}".`, severity: 'error' }
}

/** A file over the limit. */
export function sizeProblem(file: string): Problem {
  const hint = 'Divide it, or move what is not text out of it.'
  return { file, line: 1, column: 1, message: 'The file is larger than 2 MiB.', hint, severity: 'error' }
}

/** A folder of content that can't be a type. */
export function folderProblem(file: string): Problem {
  const message = 'No type can have the name of this folder: what is in it is not served.'
  return { file, message, hint: 'Rename the folder.', severity: 'error' }
}

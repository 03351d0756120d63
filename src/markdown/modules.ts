const MODULE_LINE = /^(?:import\s+['"]|import\s.*\sfrom\s+['"]|export\s+(?:const|let|default|function|async)\s)/

/**
 * Returns a text without the `import` and `export` lines that an MDX file begins with: they are code, each block ending at a
 * blank line, and no part of the text.
 */
export function withoutModuleLines(text: string): string {
  return moduleLines(text).rest
}

/** As `withoutModuleLines`, with the number of lines that are such. */
export function moduleLines(text: string): { lines: number; rest: string } {
  const blocks = /^\s*(?:import|export)\s/.test(text) ? text.trimStart().split(/\n[ \t]*\n/) : undefined
  if (blocks === undefined) return { lines: 0, rest: text }
  const first = blocks.findIndex((block) => !MODULE_LINE.test(block.trimStart().split('\n', 1)[0] ?? ''))
  const modules = first < 0 ? blocks : blocks.slice(0, first)
  const lines = modules.flatMap((block) => block.split('\n')).filter((line) => MODULE_LINE.test(line.trimStart())).length
  return { lines, rest: first < 0 ? '' : blocks.slice(first).join('\n\n') }
}

const MAX_DEPTH = 64

/**
 * Where YAML text nests deeper than 64 levels (line and column from 1), or undefined where it does not. Counted before the parser sees
 * the text: the parser ends the process on a few hundred levels. Brackets in strings count as well, which no configuration minds.
 */
export function depthFault(text: string): { line: number; column: number } | undefined {
  let flow = 0
  const indents: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const lead = /^[ ]*((?:[-?:][ \t]+)*)/.exec(line)
    const indent = line.search(/[^ ]/)
    if (indent >= 0) {
      while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent) indents.pop()
      indents.push(indent)
    }
    const block = indents.length + (lead?.[1]?.match(/[-?:]/g)?.length ?? 0)
    for (let column = 0; column < line.length; column++) {
      const character = line[column]
      if (character === '[' || character === '{') flow++
      if (character === ']' || character === '}') flow = Math.max(0, flow - 1)
      if (flow > MAX_DEPTH) return { line: index + 1, column: column + 1 }
    }
    if (block + flow > MAX_DEPTH) return { line: index + 1, column: Math.max(1, indent + 1) }
  }
  return undefined
}

// Makes what authors of modules get as `quire-cms/module`: JavaScript and declarations of the sources in src/module.
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'

const folder = new URL('../src/module/', import.meta.url)
const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, declaration: true, removeComments: false, verbatimModuleSyntax: true, isolatedDeclarations: true }

/** Returns the texts by the names of files: `module.js`, `module.d.ts`, `context.d.ts`… */
export function moduleFiles() {
  const files = new Map()
  for (const name of readdirSync(folder).sort()) {
    const source = readFileSync(new URL(name, folder), 'utf8')
    const declared = ts.transpileDeclaration(source, { compilerOptions, fileName: name, reportDiagnostics: true })
    if (declared.diagnostics.length > 0) throw new Error(ts.formatDiagnostics(declared.diagnostics, ts.createCompilerHost({})))
    files.set(name.replace(/\.ts$/, '.d.ts'), withJs(declared.outputText))
    const made = withJs(ts.transpileModule(source, { compilerOptions, fileName: name }).outputText)
    if (/^(?!import |export (?:type )?\* |export \{\})\S/m.test(made)) files.set(name.replace(/\.ts$/, '.js'), made)
  }
  return files
}

function withJs(text) {
  return text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'").replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"')
}

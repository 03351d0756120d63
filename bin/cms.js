#!/usr/bin/env node
// biome-ignore-all lint/style/useNodejsImportProtocol: Node 12 does not know it.

// Plain CommonJS in the syntax of Node 12, so that an old Node can read it far enough to say which one is needed.
'use strict'

const fs = require('fs')
const path = require('path')
const url = require('url')

const NEEDED = [20, 19]
const entry = path.join(__dirname, '..', 'dist', 'cli', 'run.js')

function stop(what, where, mend) {
  process.stderr.write(`error: ${what}\n   at: ${where}\n  fix: ${mend}\n`)
  process.exit(1)
}

function oldNode() {
  const parts = process.versions.node.split('.').map(Number)
  return parts[0] < NEEDED[0] || (parts[0] === NEEDED[0] && parts[1] < NEEDED[1])
}

if (oldNode()) {
  stop(
    `Quire needs Node ${NEEDED.join('.')} or newer; this is Node ${process.versions.node}.`,
    process.execPath,
    'Install the current LTS release from https://nodejs.org, then run the same command again.',
  )
} else if (!fs.existsSync(entry)) {
  stop(
    'Quire has not been built in this checkout.',
    entry,
    'Run `npm install && npm run build` there, then the same command again.',
  )
} else {
  // Compiled code kept between runs shortens each start; Node 20 does not have it.
  const compileCache = require('module').enableCompileCache
  if (compileCache) compileCache()
  import(url.pathToFileURL(entry).href)
    .then((cli) => cli.main(process.argv.slice(2)))
    .catch((error) => {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
      process.exit(70)
    })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import module, { greet, idOf } from '../index.js'

test('it is a module of this shape', () => {
  assert.equal(module.api, 1)
  assert.deepEqual(Object.keys(module.filters), ['greet_my_module'])
})

test('it greets by name', () => {
  assert.equal(greet('Hello', 'Ada'), 'Hello, Ada!')
  assert.equal(module.filters.greet_my_module('Ada'), 'Hello, Ada!')
})

test('a name has one id', () => {
  assert.equal(idOf('Ada Lovelace'), 'ada-lovelace')
  assert.equal(idOf('!'), 'guest')
})

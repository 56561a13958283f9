import { readDocument } from './gq.tmp.mjs';
const N=10e6;
const cases={
 braces:'{a'.repeat(10000), bracesClosed:'{a'.repeat(10000)+'}'.repeat(10000), fields:'{'+'a '.repeat(100000)+'}', aliases:'{'+Array.from({length:6000},(_,i)=>`a${i}:b`).join(' ')+'}',
 ops:'{a}'.repeat(6600), metaops:'{__typename}'.repeat(6600), opfrag: '{...f0}'.repeat(2400)+Array.from({length:1200},(_,i)=>`fragment f${i} on Q{...f${i+1}}`).join(' ')+'fragment f1200 on Q{__typename}',
 fragcycle:'{...a} fragment a on Q{...b} fragment b on Q{...a}', expo:'{...f0}'+Array.from({length:1000},(_,i)=>`fragment f${i} on Q{...f${i+1} ...f${i+1}}`).join(' '),
 directives:'{a '+'@d '.repeat(9000)+'}', args:'{a('+Array.from({length:4900},(_,i)=>`a${i}:1`).join(',')+')}',
 comment:'#'+'x'.repeat(N)+'\n{a}', comments:'#\n'.repeat(N/2)+'{a}', commas:','.repeat(N)+'{a}', spaces:' '.repeat(N)+'{a}', newlines:'\n'.repeat(N)+'{a}',
 string:'{a(b:"'+'x'.repeat(N)+'")}', escapes:'{a(b:"'+'\\n'.repeat(N/2)+'")}', unicode:'{a(b:"'+'\\u{1F600}'.repeat(N/9)+'")}', block:'{a(b:"""'+'\n x'.repeat(N/3)+'""")}', blocknl:'{a(b:"""'+'\n'.repeat(N)+'""")}', blockquotes:'{a(b:"""'+'\\"""'.repeat(N/4)+'""")}', name:'{'+'a'.repeat(N)+'}', number:'{a(b:'+'1'.repeat(N)+')}', bad:'{a'+' '.repeat(N)+'\u0000', badend:'\n'.repeat(N)+'!', brackets:'{a(b:"'+'{'.repeat(N)+'")}',
};
for (const [n,t] of Object.entries(cases)) { const s=performance.now(); let out; try { out=readDocument(t).operations.length; } catch(e) { out=e.message.slice(0,90);} console.log(n.padEnd(14),String(t.length).padStart(9),(performance.now()-s).toFixed(0).padStart(6)+' ms',out); }

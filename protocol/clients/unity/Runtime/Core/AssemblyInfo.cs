// The components and the tests look inside.
using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Clashd")]
[assembly: InternalsVisibleTo("Clashd.Tests")]

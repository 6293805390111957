// CoreTests in Unity's test runner.
using System;
using NUnit.Framework;

namespace Clashd.Tests
{
    public sealed class NUnitTests
    {
        [TestCaseSource(typeof(CoreTests), "All")]
        public void Core(Action test)
        {
            test();
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// A token of shares in something that grows (as staked ether of Lido): balances change by themselves, and what arrives may
/// be a unit or two less than what was sent.
contract ShareToken {
    string public constant name = "Share Token";
    string public constant symbol = "SHARE";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    uint256 public totalShares;
    mapping(address => uint256) public sharesOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(uint256 supply, uint256 shares) {
        totalSupply = supply;
        totalShares = sharesOf[msg.sender] = shares;
    }

    function rebase(uint256 supply) external {
        totalSupply = supply;
    }

    function balanceOf(address account) public view returns (uint256) {
        return (sharesOf[account] * totalSupply) / totalShares;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) private returns (bool) {
        uint256 shares = (amount * totalShares) / totalSupply;
        sharesOf[from] -= shares;
        sharesOf[to] += shares;
        return true;
    }
}
